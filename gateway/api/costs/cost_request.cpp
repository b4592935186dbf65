#include "gateway/api/costs/cost_request.hpp"

#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {

std::optional<cost_request> read_cost_request(const proxy::client_body& body, metrics::endpoint called) {
  using metrics::endpoint;
  const bool writes_text = called == endpoint::chat_completions || called == endpoint::completions ||
                           called == endpoint::responses || called == endpoint::messages;
  const proxy::json_member* const member = writes_text && !body.is_form() ? body.members().find("usage") : nullptr;
  if (member == nullptr || !proxy::json_is_object(member->value)) return std::nullopt;
  const auto include = proxy::json_find(member->value, "include");
  if (include != "true" && include != "false") return std::nullopt;
  cost_request request{.is_wanted = include == "true", .body = {}};
  proxy::json_edits edits(body.json());
  edits.remove_member(*member);
  request.body = edits.text();
  return request;
}

}  // namespace photofinish::gateway
