#include "proxy/dialects/bedrock/bedrock_frames.hpp"

#include "proxy/failures/error_shapes.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_text.hpp"

#include <string>

namespace photofinish::proxy {

answer_kind kind_of_frames(const response_head& head) {
  const bool is_framed = equals_ignoring_case(media_type(head), "application/vnd.amazon.eventstream");
  if (is_framed && head.status == 200) return answer_kind::frames;
  const answer_kind kind = kind_by_type(head);
  return kind == answer_kind::whole ? kind : answer_kind::refusal;
}

std::optional<failure> failure_of(const event_frame& frame) {
  const std::string_view kind = frame.text(":message-type");
  if (kind == "exception") return error_from_event(frame.payload, frame.text(":exception-type"));
  if (kind != "error") return std::nullopt;
  const std::string message = R"({"message":)" + json_quote(valid_utf8(frame.text(":error-message"))) + "}";
  return error_from_event(message, frame.text(":error-code"));
}

}  // namespace photofinish::proxy
