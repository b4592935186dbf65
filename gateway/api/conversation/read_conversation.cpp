#include "gateway/api/conversation/read_conversation.hpp"

#include "gateway/api/json_body.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <memory>
#include <utility>

namespace photofinish::gateway {

std::variant<parsed_request, api_error> read_conversation_request(const conversation_api& api, std::string text,
                                                                  proxy::tolerant_parser& parser) {
  auto read = read_json_body(std::move(text), api.single_members, parser);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  parsed_request request{.format = api.format};
  request.body = std::get<json_body>(read).text;
  request.is_text_alone = std::get<json_body>(read).is_text_alone;
  const proxy::client_body& body = *request.body;
  auto model = read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  if (auto error = check_stream(body)) return std::move(*error);
  auto said = api.read(body);
  if (auto* fault = std::get_if<proxy::request_fault>(&said)) return bad_request(fault->message, fault->param);
  request.model = std::get<std::string>(std::move(model));
  request.form = body.value_of("stream") == "true" ? answer_form::stream : answer_form::whole;
  request.prompt = body.value_of(api.prompt);
  request.others =
      std::make_shared<proxy::request_forms>(request.body, std::get<proxy::conversation>(std::move(said)));
  return request;
}

}  // namespace photofinish::gateway
