#include "proxy/dialects/passthrough/passing_answers.hpp"

#include "proxy/dialects/passthrough/answer_members.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// True for content types of audio. The function does not check the bytes, because raw PCM may begin with any byte and
// has no content type of its own.
bool is_sound(std::string_view type) {
  constexpr std::string_view audio = "audio/";
  const auto is_it = [type](std::string_view each) { return equals_ignoring_case(type, each); };
  constexpr std::array<std::string_view, 3> others{"application/octet-stream", "binary/octet-stream",
                                                   "application/ogg"};
  return equals_ignoring_case(type.substr(0, audio.size()), audio) || std::any_of(others.begin(), others.end(), is_it);
}

class byte_answer final : public dialect_stream {
 public:
  explicit byte_answer(wire_format format) : format_(format) {}

  answer_kind on_head(const response_head& head) override {
    const std::string_view whole_type = head.field("content-type");
    if (head.status != 200 || !is_sound(media_type(head)) || whole_type.size() > longest_type)
      return answer_kind::refusal;
    media_type_ = whole_type;
    return answer_kind::bytes;
  }

  result<relayed> on_bytes(std::string_view bytes, instant read_at) override {
    piece_ = bytes;
    event_[0] = {.kind = event_kind::token, .spoken = format_, .json = {&piece_, 1}, .read_at = read_at};
    if (!has_begun_) {
      type_[0] = {.kind = delta_kind::media_type, .text = media_type_};
      event_[0].deltas = type_;
    }
    has_begun_ = true;
    return relayed(event_);
  }

  result<relayed> on_body_end(std::string_view, instant read_at) override {
    if (!has_begun_) return bad_stream("the answer is empty");
    event_[0] = {.kind = event_kind::end, .read_at = read_at};
    return relayed(event_);
  }

  result<relayed> on_event(const sse_event&, instant) override {
    return bad_stream("the provider sent events instead of audio");
  }
  result<void> on_whole(std::string) override { return no_sound(); }
  result<relayed> next_of_whole(instant) override { return no_sound(); }
  std::size_t held_bytes() const override { return 0; }

 private:
  static failure no_sound() { return bad_stream("the provider sent JSON instead of audio"); }

  wire_format format_;
  std::string media_type_;
  bool has_begun_ = false;
  std::string_view piece_;
  std::array<delta, 1> type_;  // the content type, which is sent only with the first bytes
  std::array<stream_event, 1> event_;
};

bool is_text(std::string_view type) {
  constexpr std::string_view any_text = "text/";
  if (equals_ignoring_case(type, "application/x-subrip")) return true;
  if (equals_ignoring_case(type, "text/html") || equals_ignoring_case(type, "text/event-stream")) return false;
  return equals_ignoring_case(type.substr(0, any_text.size()), any_text);
}

std::vector<json_member> members_of(std::string_view json) {
  json_scan scan;
  return scan.see(json) && scan.is_complete() ? scan.members(json) : std::vector<json_member>();
}

class text_answer final : public dialect_stream {
 public:
  explicit text_answer(wire_format format) : format_(format) {}

  answer_kind on_head(const response_head& head) override {
    const std::string_view whole_type = head.field("content-type");
    if (head.status != 200 || !is_text(media_type(head)) || whole_type.size() > longest_type)
      return answer_kind::refusal;
    media_type_ = whole_type;
    return answer_kind::whole;
  }

  // Stores the complete text. Fails if the text is an error, because some providers send their errors as text.
  result<void> on_whole(std::string body) override {
    if (body.size() <= max_error_bytes && reports_error(members_of(body))) return error_in_answer(body);
    body_ = std::move(body);
    return {};
  }

  // Returns the text as one event. The event counts as a token unless the text is empty. Even the transcript of a
  // silent recording may contain text.
  result<relayed> next_of_whole(instant read_at) override {
    const delta type{.kind = delta_kind::media_type, .text = media_type_};
    const event_kind kind = body_.empty() ? event_kind::progress : event_kind::token;
    const stream_event said{.kind = kind, .spoken = format_, .deltas = {&type, 1}, .read_at = read_at};
    kept_.emplace(said, std::exchange(body_, {}));
    events_[0] = kept_->view();
    events_[1] = {.kind = event_kind::end, .read_at = read_at};
    return relayed(events_);
  }

  bool is_streamable() const override { return false; }
  std::size_t held_bytes() const override { return body_.size() + (kept_ ? kept_->heap_bytes() : 0); }
  result<relayed> on_event(const sse_event&, instant) override { return no_stream(); }
  result<relayed> on_body_end(std::string_view, instant) override { return no_stream(); }

 private:
  static failure no_stream() { return bad_stream("the provider streams an answer that must come in one piece"); }

  wire_format format_;
  std::string media_type_;
  std::string body_;
  std::optional<kept_event> kept_;
  std::array<stream_event, 2> events_;
};

std::string_view value_in(const std::vector<json_member>& members, std::string_view key) {
  for (const json_member& each : members)
    if (json_key_is(each.raw_key, key)) return each.value;
  return {};
}

class event_answer final : public dialect_stream {
 public:
  explicit event_answer(wire_format format) : format_(format) {}

  answer_kind on_head(const response_head& head) override {
    const answer_kind kind = kind_by_type(head);
    const bool may_be_whole = format_ == wire_format::openai_transcription_events;
    return kind == answer_kind::whole && !may_be_whole ? answer_kind::refusal : kind;
  }

  result<relayed> on_event(const sse_event& event, instant read_at) override {
    if (trim_space(event.data).empty()) return relayed{};
    usage_.reset();
    if (trim_space(event.data) == last_word) return end(read_at);
    if (auto fault = look_at(event)) return std::move(*fault);
    has_begun_ = true;
    frame(event);
    return give(event_kind::token, read_at);
  }

  void name_unfinished(std::string_view name) override { unfinished_name_ = name; }

  // Ends the stream. A last event without a blank line after it is accepted if its data is complete.
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override {
    if (trim_space(unfinished_data) == last_word) return end(read_at);
    std::size_t count = 0;
    if (!members_of(unfinished_data).empty()) {
      auto said = on_event({unfinished_name_, unfinished_data}, read_at);
      if (!said) return said;
      count = said->size();
    }
    if (!has_begun_) return bad_stream("the stream ended without an event");
    if (!has_last_event_) return bad_stream("the stream ended in the middle of the answer");
    events_[count] = {.kind = event_kind::end, .read_at = read_at};
    return relayed(events_).first(count + 1);
  }

  // Converts a transcript that arrived as one JSON object to two events. Models that cannot stream send their
  // transcripts as one object.
  result<void> on_whole(std::string body) override {
    // Line ends are replaced by spaces, because the data of an event is a single line. In valid JSON, unescaped line
    // ends occur only between tokens.
    std::replace(body.begin(), body.end(), '\n', ' ');
    std::replace(body.begin(), body.end(), '\r', ' ');
    const std::vector<json_member> members = members_of(body);
    const std::string_view text = value_in(members, "text");
    if (reports_error(members) || !json_is_string(text)) return error_in_answer(body);
    usage_ = usage_of_answer(members);
    const std::string_view usage = value_in(members, "usage");
    written_.append(R"(data: {"type":"transcript.text.delta","delta":)").append(text).append("}\n\n");
    written_.append(R"(data: {"type":"transcript.text.done","text":)").append(text);
    if (json_is_object(usage)) written_.append(R"(,"usage":)").append(usage);
    written_.append("}\n\n");
    return {};
  }

  result<relayed> next_of_whole(instant read_at) override {
    pieces_[0] = written_;
    piece_count_ = 1;
    give(event_kind::token, read_at);
    events_[1] = {.kind = event_kind::end, .read_at = read_at};
    return relayed(events_);
  }

  std::size_t held_bytes() const override { return written_.size(); }

 private:
  static constexpr std::string_view last_word = "[DONE]";

  result<relayed> end(instant read_at) {
    if (!has_begun_) return bad_stream("the stream ended without an event");
    pieces_[0] = "data: [DONE]\n\n";
    piece_count_ = 1;
    return give(event_kind::end, read_at);
  }

  maybe_failure look_at(const sse_event& event) {
    const std::vector<json_member> members = members_of(event.data);
    // the event's type, for example "transcript.text.done"
    const std::string_view type = json_raw_string(value_in(members, "type"));
    if (event.type == "error" || type == "error" || reports_error(members)) return error_from_event(event.data);
    if (members.empty()) return bad_stream("an event is not a JSON object with members");
    has_last_event_ = has_last_event_ || type.ends_with(".done");
    usage_ = usage_of_answer(members);
    return std::nullopt;
  }

  // Sends the event unchanged, with the same number of data lines.
  void frame(const sse_event& event) {
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

  relayed give(event_kind kind, instant read_at) {
    events_[0] = {.kind = kind, .spoken = format_, .json = std::span(pieces_).first(piece_count_), .read_at = read_at};
    if (usage_) events_[0].usage = &*usage_;
    return relayed(events_).first(1);
  }

  wire_format format_;
  bool has_begun_ = false;
  bool has_last_event_ = false;
  std::optional<token_usage> usage_;
  std::string_view unfinished_name_;  // the name of an incomplete last event, used only by on_body_end()
  std::string written_;  // the bytes that this gateway sends instead of the provider's bytes
  std::array<std::string_view, 5> pieces_;
  std::size_t piece_count_ = 0;
  std::array<stream_event, 2> events_;
};

}  // namespace

std::unique_ptr<dialect_stream> open_sound(wire_format format) { return std::make_unique<byte_answer>(format); }

std::unique_ptr<dialect_stream> open_text(wire_format format) { return std::make_unique<text_answer>(format); }

std::unique_ptr<dialect_stream> open_events(wire_format format) { return std::make_unique<event_answer>(format); }

}  // namespace photofinish::proxy
