#include "gateway/api/responses/response_tool_api.hpp"

#include "gateway/api/json_body.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "gateway/api/unstreamed/whole_request.hpp"
#include "gateway/api/unstreamed/whole_writer.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_response_tool_members{"model", "input", "conversation",
                                                                       "previous_response_id"};

}  // namespace

std::variant<parsed_request, api_error> response_tool_api::read(std::string text,
                                                                proxy::tolerant_parser& parser) const {
  auto read = read_json_body(std::move(text), single_response_tool_members, parser);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  parsed_request request{.format = format_};
  request.body = std::get<json_body>(read).text;
  const proxy::client_body& body = *request.body;
  auto model = read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  if (auto error = read_response_state(body, request.state)) return *std::move(error);
  const bool goes_on = !request.state.previous.empty() || request.state.is_single;
  if (!goes_on)
    if (auto error = check_input(body, "input")) return *std::move(error);
  request.model = std::get<std::string>(std::move(model));
  request.prompt = body.value_of("input");
  return request;
}

std::unique_ptr<answer_writer> response_tool_api::writer(const parsed_request& request, answer_identity) const {
  return std::make_unique<whole_writer>(request.format);
}

}  // namespace photofinish::gateway
