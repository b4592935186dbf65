#include "gateway/guardrails/verdict.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::gateway {
namespace {

using metrics::guardrail_verdict;
using simdjson::dom::element;

constexpr std::size_t longest_reason = 300;

verdict no_verdict(std::string_view trouble) {
  verdict none;
  none.trouble = trouble;
  return none;
}

bool is_null(const element& value) { return value.type() == simdjson::dom::element_type::NULL_VALUE; }

std::string_view text_of(simdjson::simdjson_result<element> member) {
  std::string_view text;
  return member.get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

verdict read_mask(const element& body) {
  simdjson::dom::array messages;
  if (body["messages"].get(messages) != simdjson::SUCCESS) return no_verdict("the mask has no messages");
  verdict mask;
  for (const element each : messages) {
    std::string_view content;
    if (each["content"].get(content) != simdjson::SUCCESS)
      return no_verdict("the mask has a message whose content is not a string");
    mask.contents.emplace_back(content);
  }
  mask.said = guardrail_verdict::mask;
  return mask;
}

// Reads a rejection. Its reason is a text for human readers. Its body is the text that the service wants the client to
// get.
verdict read_rejection(std::string_view body, const simdjson::dom::object& action) {
  verdict no;
  no.said = guardrail_verdict::reject;
  std::string_view reason = text_of(action["reason"]);
  if (reason.empty()) reason = body;
  no.reason = proxy::clean_text(reason, longest_reason);
  std::int64_t status = 0;
  if (action["status_code"].get(status) == simdjson::SUCCESS && status >= 100 && status < 600)
    no.status = static_cast<int>(status);
  return no;
}

verdict read_action(const simdjson::dom::object& action) {
  element body;
  const bool has_body = action["body"].get(body) == simdjson::SUCCESS && !is_null(body);
  std::string_view text;
  if (has_body && body.get(text) == simdjson::SUCCESS) return read_rejection(text, action);
  if (has_body && body.is_object()) return read_mask(body);
  element status;
  const bool has_status = action["status_code"].get(status) == simdjson::SUCCESS && !is_null(status);
  if (has_status && !has_body) return read_rejection({}, action);
  element reason;
  const bool has_reason = action["reason"].get(reason) == simdjson::SUCCESS && (is_null(reason) || reason.is_string());
  if (has_body || (!has_reason && action.size() > 0)) return no_verdict("the answer's action is unknown");
  verdict pass;
  pass.said = guardrail_verdict::pass;
  return pass;
}

}  // namespace

verdict read_verdict(std::string body, proxy::tolerant_parser& parser) {
  body.reserve(body.size() + proxy::readable_behind);
  element answer;
  if (parser.parse(body).get(answer) != simdjson::SUCCESS) return no_verdict("the answer is not valid JSON");
  simdjson::dom::object action;
  if (!answer.is_object() || answer["action"].get(action) != simdjson::SUCCESS)
    return no_verdict("the answer has no action");
  return read_action(action);
}

}  // namespace photofinish::gateway
