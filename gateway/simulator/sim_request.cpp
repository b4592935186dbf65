#include "gateway/simulator/sim_request.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

using simdjson::dom::element;

proxy::failure refusal(std::string param, std::string detail) {
  proxy::failure refused;
  refused.kind = proxy::failure_kind::bad_request;
  refused.origin = proxy::failure_origin::client;
  refused.status = 400;
  refused.type = "invalid_request_error";
  refused.param = std::move(param);
  refused.detail = std::move(detail);
  return refused;
}

// Null counts as absent, as OpenAI has it.
std::optional<element> member(element object, std::string_view key) {
  element found;
  if (object[key].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return found;
}

// Reads an optional member; false: it is there, and of another type.
template <class Value>
bool read(element object, std::string_view key, Value& into) {
  const auto found = member(object, key);
  return !found || found->get(into) == simdjson::SUCCESS;
}

std::string first_tool_name(element body, std::string_view place, std::string otherwise) {
  std::string_view name;
  if (body.at_pointer(place).get(name) != simdjson::SUCCESS) return otherwise;
  return std::string(name);
}

// Null, like a missing member, sets no limit.
proxy::result<void> read_limit(element of, std::string_view name, std::optional<std::uint64_t>& into) {
  std::uint64_t tokens = 0;
  if (!member(of, name)) return {};
  if (!read(of, name, tokens) || tokens == 0)
    return refusal(std::string(name), "`" + std::string(name) + "` must be a positive integer");
  into = tokens;
  return {};
}

std::uint64_t guessed_tokens(std::size_t bytes) { return std::max<std::uint64_t>(1, bytes / 4); }

// What chat and Messages have.
proxy::result<sim_request> parse_common(element root, std::size_t bytes) {
  sim_request request;
  std::string_view model;
  if (!read(root, "model", model) || model.empty()) return refusal("model", "`model` must be a string");
  request.model = model;
  if (!read(root, "stream", request.is_stream)) return refusal("stream", "`stream` must be a boolean");
  if (const auto messages = member(root, "messages"); !messages || !messages->is_array())
    return refusal("messages", "`messages` must be an array");
  for (const std::string_view limit : {"max_tokens", "max_completion_tokens"}) {  // the latter is the newer
    if (auto limited = read_limit(root, limit, request.params.max_tokens); !limited) return std::move(limited).error();
  }
  request.prompt_tokens = guessed_tokens(bytes);
  return request;
}

proxy::result<element> parse_object(const std::string& body, simdjson::dom::parser& parser) {
  element root;
  if (parser.parse(body).get(root) != simdjson::SUCCESS) return refusal({}, "the body is not valid JSON");
  if (!root.is_object()) return refusal({}, "the body is not a JSON object");
  return root;
}

}  // namespace

proxy::result<sim_request> parse_request(const std::string& body, simdjson::dom::parser& parser) {
  const auto root = parse_object(body, parser);
  if (!root) return root.error();
  auto request = parse_common(*root, body.size());
  if (!request) return request;
  std::uint64_t choices = 1;
  if (!read(*root, "n", choices) || choices != 1) return refusal("n", "`n` must be 1: only one choice is simulated");
  if (const auto options = member(*root, "stream_options"))
    if (!options->is_object() || !read(*options, "include_usage", request->params.include_usage))
      return refusal("stream_options", "`stream_options.include_usage` must be a boolean");
  request->tool_name = first_tool_name(*root, "/tools/0/function/name", std::move(request->tool_name));
  return request;
}

proxy::result<sim_request> parse_message_request(const std::string& body, simdjson::dom::parser& parser) {
  const auto root = parse_object(body, parser);
  if (!root) return root.error();
  auto request = parse_common(*root, body.size());
  if (!request) return request;
  if (!request->params.max_tokens) return refusal("max_tokens", "max_tokens: Field required");
  request->tool_name = first_tool_name(*root, "/tools/0/name", std::move(request->tool_name));
  return request;
}

proxy::result<sim_request> parse_gemini_request(const std::string& body, simdjson::dom::parser& parser) {
  const auto root = parse_object(body, parser);
  if (!root) return root.error();
  if (const auto contents = member(*root, "contents"); !contents || !contents->is_array())
    return refusal("contents", "`contents` must be an array");
  sim_request request;
  if (const auto config = member(*root, "generationConfig")) {
    if (!config->is_object()) return refusal("generationConfig", "`generationConfig` must be an object");
    if (auto limited = read_limit(*config, "maxOutputTokens", request.params.max_tokens); !limited)
      return std::move(limited).error();
  }
  request.prompt_tokens = guessed_tokens(body.size());
  request.tool_name = first_tool_name(*root, "/tools/0/functionDeclarations/0/name", std::move(request.tool_name));
  return request;
}

}  // namespace photofinish::gateway::simulator
