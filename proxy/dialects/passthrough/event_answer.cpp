#include "proxy/dialects/passthrough/event_answer.hpp"

#include "proxy/dialects/passthrough/answer_members.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view last_word = "[DONE]";
constexpr std::string_view last_event = "data: [DONE]\n\n";


// "transcript.text.done"; empty where an event names no type.
std::string_view type_of(const std::vector<json_member>& members) {
  for (const json_member& each : members)
    if (json_key_is(each.raw_key, "type")) return json_is_string(each.value) ? json_raw_string(each.value) : "";
  return {};
}

std::string_view value_in(const std::vector<json_member>& members, std::string_view key) {
  for (const json_member& each : members)
    if (json_key_is(each.raw_key, key)) return each.value;
  return {};
}

std::vector<json_member> members_of(std::string_view json) {
  json_scan scan;
  return scan.see(json) && scan.is_complete() ? scan.members(json) : std::vector<json_member>();
}

}  // namespace

answer_kind event_answer::on_head(const response_head& head) {
  const answer_kind kind = kind_by_type(head);
  const bool may_be_whole = format_ == wire_format::openai_transcription_events;
  return kind == answer_kind::whole && !may_be_whole ? answer_kind::refusal : kind;
}

result<dialect_stream::relayed> event_answer::on_event(const sse_event& event, instant read_at) {
  if (trim_space(event.data).empty()) return relayed{};
  usage_.reset();
  if (trim_space(event.data) == last_word) return end(read_at);
  if (auto fault = look_at(event)) return std::move(*fault);
  has_begun_ = true;
  frame(event);
  return give(event_kind::token, read_at);
}

result<dialect_stream::relayed> event_answer::end(instant read_at) {
  if (!has_begun_) return bad_stream("the stream ends without an event");
  pieces_[0] = last_event;
  piece_count_ = 1;
  return give(event_kind::end, read_at);
}

maybe_failure event_answer::look_at(const sse_event& event) {
  const std::vector<json_member> members = members_of(event.data);
  const std::string_view type = type_of(members);
  if (event.type == "error" || type == "error" || reports_error(members)) return error_from_event(event.data);
  if (members.empty()) return bad_stream("an event is not a JSON object with members");
  has_last_event_ = has_last_event_ || type.ends_with(".done");
  usage_ = usage_of_answer(members);
  return std::nullopt;
}

// As it came. What came in several lines goes in several lines.
void event_answer::frame(const sse_event& event) {
  piece_count_ = 0;
  if (!event.type.empty()) {
    pieces_[piece_count_++] = "event: ";
    pieces_[piece_count_++] = event.type;
  }
  pieces_[piece_count_++] = event.type.empty() ? "data: " : "\ndata: ";
  pieces_[piece_count_++] = event.data;
  if (event.data.find('\n') != std::string_view::npos) {
    written_.clear();
    for (const char each : event.data) each == '\n' ? written_ += "\ndata: " : written_ += each;
    pieces_[piece_count_ - 1] = written_;
  }
  pieces_[piece_count_++] = "\n\n";
}

std::span<const stream_event> event_answer::give(event_kind kind, instant read_at) {
  events_[0] = {.kind = kind, .spoken = format_, .json = std::span(pieces_).first(piece_count_), .read_at = read_at};
  if (usage_) events_[0].usage = &*usage_;
  return std::span(events_).first(1);
}

// A last event without its blank line counts, as long as it is whole.
result<dialect_stream::relayed> event_answer::on_body_end(std::string_view unfinished_data, instant read_at) {
  if (trim_space(unfinished_data) == last_word) return end(read_at);
  std::size_t count = 0;
  if (!members_of(unfinished_data).empty()) {
    auto said = on_event({unfinished_name_, unfinished_data}, read_at);
    if (!said) return said;
    count = said->size();
  }
  if (!has_begun_) return bad_stream("the stream ends without an event");
  if (!has_last_event_) return bad_stream("the stream ends in the middle of its answer");
  events_[count] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_).first(count + 1);
}

result<void> event_answer::on_whole(std::string body) {
  std::replace(body.begin(), body.end(), '\n', ' ');  // between its tokens: an event's data is one line
  std::replace(body.begin(), body.end(), '\r', ' ');
  const std::vector<json_member> members = members_of(body);
  const std::string_view text = value_in(members, "text");
  if (reports_error(members) || !json_is_string(text)) {
    const std::string_view shown = std::string_view(body).substr(0, max_error_bytes);
    return read_error({.status = 200, .content_type = "application/json", .body = shown}, {});
  }
  usage_ = usage_of_answer(members);
  const std::string_view usage = value_in(members, "usage");
  written_.append(R"(data: {"type":"transcript.text.delta","delta":)").append(text).append("}\n\n");
  written_.append(R"(data: {"type":"transcript.text.done","text":)").append(text);
  if (json_is_object(usage)) written_.append(R"(,"usage":)").append(usage);
  written_.append("}\n\n");
  return {};
}

result<dialect_stream::relayed> event_answer::next_of_whole(instant read_at) {
  pieces_[0] = written_;
  piece_count_ = 1;
  give(event_kind::token, read_at);
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_);
}

}  // namespace photofinish::proxy
