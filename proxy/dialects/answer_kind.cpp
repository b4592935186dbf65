#include "proxy/dialects/answer_kind.hpp"

#include "proxy/http/http_head.hpp"

namespace photofinish::proxy {

std::string_view media_type(const response_head& head) {
  const std::string_view type = head.field("content-type");
  return trim_space(type.substr(0, type.find(';')));
}

answer_kind kind_by_type(const response_head& head) {
  if (head.status != 200) return answer_kind::refusal;
  const std::string_view type = media_type(head);
  if (equals_ignoring_case(type, "text/event-stream")) return answer_kind::events;
  if (equals_ignoring_case(type, "application/json")) return answer_kind::whole;
  return answer_kind::refusal;
}

}  // namespace photofinish::proxy
