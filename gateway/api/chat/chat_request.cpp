#include "gateway/api/chat/chat_request.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <array>
#include <optional>
#include <utility>

namespace photofinish::gateway {
namespace {

// Members that this gateway or a provider reads: which of two would count is anybody's guess.
constexpr std::array<std::string_view, 9> single_members{
    "model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "tools", "n", "store"};

std::optional<api_error> check_json(std::string& body, proxy::tolerant_parser& parser) {
  if (body.empty()) return bad_request("the request has no body; a JSON object is expected");
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  if (proxy::has_more_values(body, max_body_values))
    return bad_request("the body's JSON has more than " + std::to_string(max_body_values) +
                       " values and members: shorten its lists, or send long data as strings");
  simdjson::dom::element root;
  const auto error = parser.parse(body).get(root);
  if (error == simdjson::DEPTH_ERROR) return bad_request("the body's JSON is nested too deeply");
  if (error) return bad_request(std::string("the body is not valid JSON: ") + simdjson::error_message(error));
  if (!root.is_object()) return bad_request("the body is not a JSON object");
  return std::nullopt;
}

api_error bad_messages(std::string_view fault) {
  return bad_request("'messages' is " + std::string(fault) + ": an array of at least one message is expected",
                     "messages");
}

std::optional<api_error> check_members(const proxy::client_body& body) {
  if (body.members().members().size() > max_body_members)
    return bad_request("the body has more than " + std::to_string(max_body_members) + " members of its own");
  for (const std::string_view name : single_members)
    if (body.members().has_duplicate(name))
      return bad_request("'" + std::string(name) + "' is given twice", std::string(name));
  const std::string_view model = body.value_of("model");
  if (!proxy::json_is_string(model) || proxy::json_raw_string(model).empty())
    return bad_request("'model' is missing: name a route, provider/model, or a list of them", "model");
  const std::string_view messages = body.value_of("messages");
  if (messages.empty()) return bad_messages("missing");
  if (!proxy::json_is_array(messages)) return bad_messages("not an array");
  proxy::json_walk walk(messages);
  if (!walk.next_element()) return bad_messages("empty");
  const std::string_view stream = body.value_of("stream");
  if (!stream.empty() && stream != "true" && stream != "false" && stream != "null")
    return bad_request("'stream' is true or false", "stream");
  const std::string_view options = body.value_of("stream_options");
  if (!options.empty() && !proxy::json_is_object(options) && options != "null")
    return bad_request("'stream_options' is an object", "stream_options");
  return std::nullopt;
}

// vLLM and its relatives tell the usage so far in each chunk, when asked.
proxy::usage_chunk usage_asked_for(std::string_view stream_options) {
  const auto is_asked = [stream_options](std::string_view key) {
    return proxy::json_find(stream_options, key).value_or("false") == "true";
  };
  if (!is_asked("include_usage")) return proxy::usage_chunk::unwanted;
  return is_asked("continuous_usage_stats") ? proxy::usage_chunk::wanted_always : proxy::usage_chunk::wanted;
}

}  // namespace

std::variant<chat_request, api_error> read_chat_request(std::string text, proxy::tolerant_parser& parser) {
  if (auto error = check_json(text, parser)) return *error;
  auto body = std::make_shared<const proxy::client_body>(std::move(text));
  if (auto error = check_members(*body)) return *error;
  chat_request request;
  request.model = proxy::json_unescape(proxy::json_raw_string(body->value_of("model")));
  request.form = body->value_of("stream") == "true" ? answer_form::stream : answer_form::whole;
  request.usage = usage_asked_for(body->value_of("stream_options"));
  request.prompt_bytes = body->value_of("messages").size();
  request.body = std::move(body);
  return request;
}

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
