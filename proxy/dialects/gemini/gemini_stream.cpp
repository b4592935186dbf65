#include "proxy/dialects/gemini/gemini_stream.hpp"

#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/json_text.hpp"

#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::size_t read_behind = 64;  // by the parser

std::string_view trim(std::string_view text) {
  const auto is_space = [](char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

failure bad_stream(std::string_view detail) {
  failure why;
  why.kind = failure_kind::bad_stream;
  why.detail = detail;
  return why;
}

}  // namespace

bool gemini_stream::is_json(std::string_view text) {
  if (lent_ == nullptr && !own_) own_ = std::make_unique<tolerant_parser>();
  return (lent_ != nullptr ? lent_ : own_.get())->parse(text).error() == simdjson::SUCCESS;
}

result<gemini_stream::relayed> gemini_stream::on_event(const sse_event& event, instant read_at) {
  if (is_over_) return relayed{};
  const std::string_view data = trim(event.data);
  if (event.type == "error") return fail(error_from_event(data));
  // No JSON begins with a colon or says [DONE]: the one is a comment in the wrong place, the other another API's end.
  if (data.empty() || data.front() == ':' || data == "[DONE]") return relayed{};
  if (!is_json(data)) return fail(bad_stream("an event is not valid JSON"));
  return read(data, read_at);
}

result<gemini_stream::relayed> gemini_stream::read(std::string_view json, instant read_at) {
  if (auto taken = reader_.read(json); !taken) return fail(std::move(taken).error());
  const gemini_facts& facts = reader_.facts();
  if (!facts.is_chunk) return relayed{};
  events_[0] = {.kind = facts.kind, .spoken = wire_format::gemini, .deltas = facts.deltas, .read_at = read_at};
  if (facts.usage) events_[0].usage = &*facts.usage;
  return relayed(events_).first(1);
}

result<gemini_stream::relayed> gemini_stream::on_body_end(std::string_view unfinished_data, instant read_at) {
  if (is_over_) return relayed{};
  if (!trim(unfinished_data).empty() && !reader_.is_complete()) return fail(bad_stream("the stream ended early"));
  return complete(read_at);
}

result<gemini_stream::relayed> gemini_stream::complete(instant read_at) {
  if (!reader_.is_complete()) return fail(bad_stream("the stream ended early"));
  is_over_ = true;
  reader_.end();
  const gemini_facts& facts = reader_.facts();
  events_[0] = {.kind = facts.kind, .spoken = wire_format::gemini, .deltas = facts.deltas, .read_at = read_at};
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_);
}

result<void> gemini_stream::on_whole(std::string body) {
  whole_ = std::move(body);
  whole_.reserve(whole_.size() + read_behind);
  const std::string_view text = trim(whole_);
  const bool is_answer = is_json(text) && (json_is_array(text) || json_find(text, "candidates") ||
                                           json_find(text, "promptFeedback"));
  if (is_answer) {
    now_ = text;
    if (json_is_array(text)) chunks_.emplace(text);
    return {};
  }
  is_over_ = true;
  return read_error({.status = 200, .content_type = "application/json", .body = text.substr(0, max_error_bytes)}, {});
}

result<gemini_stream::relayed> gemini_stream::next_of_whole(instant read_at) {
  if (is_over_) return relayed{};
  const auto next = chunks_ ? chunks_->next_element() : std::optional(std::exchange(now_, {}));
  if (!next || next->empty()) return complete(read_at);
  return read(*next, read_at);
}

result<gemini_stream::relayed> gemini_stream::fail(failure why) {
  is_over_ = true;
  return why;
}

}  // namespace photofinish::proxy
