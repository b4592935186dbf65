#include "gateway/api/chat/chat_api.hpp"

#include "gateway/api/chat/chat_writers.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/api/stream_members.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 9> single_chat_members{
    "model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "tools", "n", "store"};

api_error bad_messages(std::string_view fault) {
  return bad_request("'messages' is " + std::string(fault) + ": an array of at least one message is expected",
                     "messages");
}

std::optional<api_error> check_members(const proxy::client_body& body) {
  const std::string_view messages = body.value_of("messages");
  if (messages.empty()) return bad_messages("missing");
  if (!proxy::json_is_array(messages)) return bad_messages("not an array");
  proxy::json_walk walk(messages);
  if (!walk.next_element()) return bad_messages("empty");
  if (auto error = check_flag(body, "store")) return error;
  return check_stream_members(body);
}

// Returns the facts that are needed to write tool calls in the format of the chat API. The gateway writes tool calls
// itself if the request was translated, or if another request shares the answer.
expected_calls calls_of(const parsed_request& request, proxy::wire_format spoken) {
  if (spoken == proxy::wire_format::none || spoken == proxy::wire_format::openai_chat || !request.others) return {};
  const proxy::conversation* const said = request.others->read_now();
  if (said == nullptr) return {};
  return {proxy::restored_calls_of(*said), said->has_functions, spoken == proxy::wire_format::openai_responses};
}

}  // namespace

std::variant<parsed_request, api_error> chat_api::read(std::string text, proxy::tolerant_parser& parser) const {
  auto read = read_json_body(std::move(text), single_chat_members, parser);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  parsed_request request{.format = proxy::wire_format::openai_chat};
  request.body = std::get<json_body>(read).text;
  request.is_text_alone = std::get<json_body>(read).is_text_alone;
  const proxy::client_body& body = *request.body;
  auto model = read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  if (auto error = check_members(body)) return std::move(*error);
  request.model = std::get<std::string>(std::move(model));
  request.form = body.value_of("stream") == "true" ? answer_form::stream : answer_form::whole;
  request.usage = usage_asked_for(body);
  request.prompt = body.value_of("messages");
  request.others = std::make_shared<proxy::request_forms>(request.body, &proxy::read_chat);
  return request;
}

std::unique_ptr<answer_writer> chat_api::writer(const parsed_request& request, answer_identity identity) const {
  expected_calls calls = calls_of(request, identity.spoken);
  if (request.form == answer_form::whole)
    return std::make_unique<chat_whole_writer>(chat_chunks(std::move(identity), std::move(calls)));
  const bool wants_usage = request.usage != proxy::usage_chunk::unwanted;
  return std::make_unique<chat_stream_writer>(std::move(identity), std::move(calls), wants_usage);
}

}  // namespace photofinish::gateway
