#include "gateway/api/messages/token_count.hpp"

#include "gateway/api/conversation/input_estimate.hpp"
#include "gateway/api/json_body.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> counted_members{"model", "messages", "system", "tools"};

}  // namespace

std::variant<token_count, api_error> count_request(std::string text, proxy::tolerant_parser& parser) {
  auto read = read_json_body(std::move(text), counted_members, parser);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  const proxy::client_body& body = *std::get<json_body>(read).text;
  auto model = read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  const auto said = proxy::read_messages_to_count(body);
  if (const auto* fault = std::get_if<proxy::request_fault>(&said)) return bad_request(fault->message, fault->param);
  const std::uint64_t tokens = estimate_input(std::get<proxy::conversation>(said), body.value_of("tools"));
  return token_count{std::get<std::string>(std::move(model)), R"({"input_tokens":)" + std::to_string(tokens) + "}"};
}

}  // namespace photofinish::gateway
