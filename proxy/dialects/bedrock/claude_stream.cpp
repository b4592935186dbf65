#include "proxy/dialects/bedrock/claude_stream.hpp"

#include "proxy/dialects/bedrock/bedrock_frames.hpp"
#include "proxy/json/base64.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::proxy {
namespace {

// the maximum amount of memory that is kept for the next event, in bytes
constexpr std::size_t kept_room = 64u << 10;

// Decodes an event from a frame's payload such as {"bytes":"eyJ0…","p":"abc"}. The member `p` is padding. The payload
// itself is not validated, because the decoded text is validated later.
bool decode(std::string_view payload, std::string& json) {
  const auto bytes = json_find(payload, "bytes");
  json.clear();
  if (json.capacity() > kept_room) json.shrink_to_fit();  // the buffer of a very large earlier event is freed
  if (!bytes || !json_is_string(*bytes)) return false;
  const std::string_view raw = json_raw_string(*bytes);
  json.reserve(raw.size() / 4 * 3 + 3 + readable_behind);
  const bool has_escapes = raw.find('\\') != std::string_view::npos;  // a JSON string may contain a slash as "\/"
  const bool is_decoded =
      has_escapes ? append_base64_decoded(json_unescape(raw), json) : append_base64_decoded(raw, json);
  return is_decoded && !json.empty();
}

}  // namespace

answer_kind claude_stream::on_head(const response_head& head) {
  is_text_ = kind_by_type(head) == answer_kind::events;
  return is_text_ ? messages_.on_head(head) : kind_of_frames(head);
}

result<dialect_stream::relayed> claude_stream::on_event(const sse_event& event, instant read_at) {
  return messages_.on_event(event, read_at);
}

result<dialect_stream::relayed> claude_stream::on_frame(const event_frame& frame, instant read_at) {
  if (messages_.is_over()) return relayed{};  // data after the end of an answer is ignored
  if (auto why = failure_of(frame)) return *std::move(why);
  if (frame.text(":event-type") != "chunk") return relayed{};
  if (!decode(frame.payload, json_)) return bad_stream("a frame contains no event");
  return messages_.on_event({{}, json_}, read_at);
}

result<dialect_stream::relayed> claude_stream::on_body_end(std::string_view unfinished, instant read_at) {
  if (is_text_) return messages_.on_body_end(unfinished, read_at);
  if (!unfinished.empty() && !messages_.is_over()) return bad_stream("the stream ended early");
  return messages_.on_body_end({}, read_at);
}

}  // namespace photofinish::proxy
