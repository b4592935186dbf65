#include "gateway/api/json_body.hpp"

#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/repeated_member.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

std::optional<api_error> check_json(std::string& body, proxy::tolerant_parser& parser, std::size_t most_values,
                                    std::string& repeated_path) {
  if (body.empty()) return bad_request("the request has no body; a JSON object is expected");
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  if (proxy::has_more_values(body, most_values))
    return bad_request("the body's JSON has more than " + std::to_string(most_values) +
                       " values and members: shorten its lists, or send long data as strings");
  simdjson::dom::element root;
  const auto error = parser.parse(body).get(root);
  if (error == simdjson::DEPTH_ERROR) return bad_request("the body's JSON is nested too deeply");
  if (error) return bad_request(std::string("the body is not valid JSON: ") + simdjson::error_message(error));
  if (!root.is_object()) return bad_request("the body is not a JSON object");
  repeated_path = proxy::find_repeated_member(root);
  return std::nullopt;
}

}  // namespace

read_json read_json_body(std::string text, std::span<const std::string_view> single, proxy::tolerant_parser& parser,
                         std::size_t most_values) {
  std::string repeated_path;
  if (auto error = check_json(text, parser, most_values, repeated_path)) return *error;
  auto body = std::make_shared<const proxy::client_body>(std::move(text), std::move(repeated_path));
  if (body->members().members().size() > max_body_members)
    return bad_request("the body has more than " + std::to_string(max_body_members) + " members of its own");
  if (const std::string_view* const repeated = body->members().find_repeated(single))
    return bad_request("'" + std::string(*repeated) + "' is given twice", std::string(*repeated));
  return body;
}

std::string with_model(std::string body, std::string_view model) {
  proxy::json_scan scan;
  if (!scan.see(body) || !scan.is_complete()) return body;
  const std::string quoted = proxy::json_quote(model);
  proxy::json_edits edits(body);
  const proxy::member_index index(body);
  const proxy::json_member* const own = index.find("model");
  if (own != nullptr) edits.replace(own->value, quoted);
  else edits.insert_member(std::string_view(body).substr(body.find('{')), "\"model\":" + quoted);
  std::string edited;
  edited.reserve(body.size() + quoted.size() + 16);
  for (const std::string_view piece : edits.pieces()) edited += piece;
  return edited;
}

std::variant<std::string, api_error> read_model(const proxy::client_body& body) {
  const std::string_view model = body.value_of("model");
  if (!proxy::json_is_string(model) || proxy::json_raw_string(model).empty())
    return bad_request("'model' is missing: name a route, provider/model, or a list of them", "model");
  return proxy::json_unescape(proxy::json_raw_string(model));
}

std::optional<api_error> check_flag(const proxy::client_body& body, std::string_view name) {
  const std::string_view value = body.value_of(name);
  if (value.empty() || value == "true" || value == "false" || value == "null") return std::nullopt;
  return bad_request("'" + std::string(name) + "' must be true or false", std::string(name));
}

std::optional<api_error> check_stream(const proxy::client_body& body) { return check_flag(body, "stream"); }

std::shared_ptr<const proxy::client_body> counted_body(std::shared_ptr<const proxy::client_body> body,
                                                       proxy::memory_share memory) {
  struct counted {
    std::shared_ptr<const proxy::client_body> body;
    proxy::memory_share memory;
  };
  if (memory.held() == 0) return body;
  const proxy::client_body* const its = body.get();
  return {std::make_shared<counted>(counted{std::move(body), std::move(memory)}), its};
}

}  // namespace photofinish::gateway
