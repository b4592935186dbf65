#include "gateway/api/unstreamed/whole_request.hpp"

#include "proxy/json/json_text.hpp"

#include <utility>

namespace photofinish::gateway {

std::variant<parsed_request, api_error> read_whole_request(std::string text, const whole_request& expected,
                                                           proxy::tolerant_parser& parser) {
  auto read = read_json_body(std::move(text), expected.single, parser, expected.most_values);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  parsed_request request{.format = expected.format};
  request.body = std::get<json_body>(read).text;
  request.is_text_alone = std::get<json_body>(read).is_text_alone;
  const proxy::client_body& body = *request.body;
  request.model = expected.model;
  if (expected.model.empty() || !proxy::json_is_absent(body.value_of("model"))) {
    auto model = read_model(body);
    if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
    request.model = std::get<std::string>(std::move(model));
  }
  if (auto error = check_input(body, expected.prompt)) return std::move(*error);
  request.prompt = body.value_of(expected.prompt);
  return request;
}

std::optional<api_error> check_input(const proxy::client_body& body, std::string_view member) {
  const std::string_view value = body.value_of(member);
  const std::string name(member);
  const auto error = [&name](std::string_view fault) {
    return bad_request("'" + name + "' is " + std::string(fault) + ": text or an array is expected", name);
  };
  if (proxy::json_is_absent(value)) return error("missing");
  if (proxy::json_is_string(value)) return std::nullopt;
  if (!proxy::json_is_array(value)) return error("neither");
  proxy::json_walk entries(value);
  if (!entries.next_element()) return error("empty");
  return std::nullopt;
}

}  // namespace photofinish::gateway
