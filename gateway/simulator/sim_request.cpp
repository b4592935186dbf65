#include "gateway/simulator/sim_request.hpp"

#include "proxy/conversation/attribution.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

using simdjson::dom::element;

proxy::failure refusal(std::string param, std::string detail) {
  return client_fault(400, {}, std::move(detail), std::move(param));
}

// Returns a member of an object. A null value counts as missing, as in OpenAI's API.
std::optional<element> member(element object, std::string_view key) {
  element found;
  if (object[key].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return found;
}

// Reads an optional member of an object. Returns false if the member is present but has another type.
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

// Reads a token limit. If the member is missing or null, there is no limit.
proxy::result<void> read_limit(element of, std::string_view name, std::optional<std::uint64_t>& into) {
  std::uint64_t tokens = 0;
  if (!member(of, name)) return {};
  if (!read(of, name, tokens) || tokens == 0)
    return refusal(std::string(name), "`" + std::string(name) + "` must be a positive integer");
  into = tokens;
  return {};
}

std::uint64_t guessed_tokens(std::size_t bytes) { return std::max<std::uint64_t>(1, bytes / 4); }

proxy::result<element> parse_object(const std::string& body, simdjson::dom::parser& parser) {
  element root;
  if (parser.parse(body).get(root) != simdjson::SUCCESS) return refusal({}, "the body is not valid JSON");
  if (!root.is_object()) return refusal({}, "the body is not a JSON object");
  return root;
}

// Reads the members `model` and `stream` of the body. The bodies of OpenAI's APIs and of the Messages API contain both
// members.
proxy::result<void> read_model_and_stream(element root, sim_request& into) {
  std::string_view model;
  if (!read(root, "model", model) || model.empty()) return refusal("model", "`model` must be a string");
  into.model = model;
  if (!read(root, "stream", into.is_stream)) return refusal("stream", "`stream` must be a boolean");
  return {};
}

proxy::result<void> expect_list(element root, std::string_view name) {
  if (const auto list = member(root, name); list && list->is_array()) return {};
  return refusal(std::string(name), "`" + std::string(name) + "` must be an array");
}

// Reads a token limit inside the member `part` of the body, for example in `{"maxTokens":3}`.
proxy::result<void> read_limit_in(element root, std::string_view part, std::string_view name, sim_request& into) {
  const auto config = member(root, part);
  if (!config) return {};
  if (!config->is_object()) return refusal(std::string(part), "`" + std::string(part) + "` must be an object");
  return read_limit(*config, name, into.params.max_tokens);
}

proxy::result<void> read_chat(element root, sim_request& into) {
  if (auto named = read_model_and_stream(root, into); !named) return named;
  if (auto listed = expect_list(root, "messages"); !listed) return listed;
  // In OpenAI's API, max_completion_tokens has replaced max_tokens.
  for (const std::string_view limit : {"max_tokens", "max_completion_tokens"})
    if (auto limited = read_limit(root, limit, into.params.max_tokens); !limited) return limited;
  std::uint64_t choices = 1;
  if (!read(root, "n", choices) || choices != 1) return refusal("n", "`n` must be 1: only one choice is simulated");
  if (const auto options = member(root, "stream_options"))
    if (!options->is_object() || !read(*options, "include_usage", into.params.include_usage))
      return refusal("stream_options", "`stream_options.include_usage` must be a boolean");
  into.tool_name = first_tool_name(root, "/tools/0/function/name", std::move(into.tool_name));
  return {};
}

proxy::result<void> read_include(element root, sim_request& into) {
  const auto include = member(root, "include");
  if (!include) return {};
  simdjson::dom::array wanted;
  if (include->get(wanted) != simdjson::SUCCESS) return refusal("include", "`include` must be an array");
  for (const element each : wanted) {
    std::string_view what;
    into.wants_encrypted |= each.get(what) == simdjson::SUCCESS && what == "reasoning.encrypted_content";
  }
  return {};
}

proxy::result<void> read_responses(element root, sim_request& into) {
  if (auto named = read_model_and_stream(root, into); !named) return named;
  if (const auto input = member(root, "input"); !input || !(input->is_array() || input->is_string()))
    return refusal("input", "`input` must be a string or an array");
  if (auto limited = read_limit(root, "max_output_tokens", into.params.max_tokens); !limited) return limited;
  if (auto included = read_include(root, into); !included) return included;
  into.tool_name = first_tool_name(root, "/tools/0/name", std::move(into.tool_name));
  return {};
}

proxy::result<void> read_messages(element root, sim_request& into) {
  if (auto listed = expect_list(root, "messages"); !listed) return listed;
  if (auto limited = read_limit(root, "max_tokens", into.params.max_tokens); !limited) return limited;
  if (!into.params.max_tokens) return refusal("max_tokens", "max_tokens: Field required");
  into.tool_name = first_tool_name(root, "/tools/0/name", std::move(into.tool_name));
  return {};
}

// Reads a request of InvokeModel. On Bedrock, the path contains the model, and shows whether the answer is streamed.
// The version is in the body, while Anthropic's own API has it in a header.
proxy::result<void> read_invoked(element root, sim_request& into) {
  std::string_view version;
  if (!read(root, "anthropic_version", version) || version.empty())
    return refusal("anthropic_version", "anthropic_version: Field required");
  for (const std::string_view foreign : {"model", "stream"})
    if (const std::string name(foreign); member(root, name))
      return refusal(name, name + ": Extra inputs are not permitted");
  return read_messages(root, into);
}

proxy::result<void> read_gemini(element root, sim_request& into) {
  if (auto listed = expect_list(root, "contents"); !listed) return listed;
  into.tool_name = first_tool_name(root, "/tools/0/functionDeclarations/0/name", std::move(into.tool_name));
  return read_limit_in(root, "generationConfig", "maxOutputTokens", into);
}

proxy::result<void> read_converse(element root, sim_request& into) {
  if (auto listed = expect_list(root, "messages"); !listed) return listed;
  into.tool_name = first_tool_name(root, "/toolConfig/tools/0/toolSpec/name", std::move(into.tool_name));
  return read_limit_in(root, "inferenceConfig", "maxTokens", into);
}

proxy::result<void> read_body(const sim_target& asked, element root, sim_request& into) {
  switch (asked.api) {
    case sim_api::chat: return read_chat(root, into);
    case sim_api::responses: return read_responses(root, into);
    case sim_api::messages:
      if (auto named = read_model_and_stream(root, into); !named) return named;
      return read_messages(root, into);
    case sim_api::gemini: return read_gemini(root, into);
    case sim_api::converse: return read_converse(root, into);
    case sim_api::invoke: return read_invoked(root, into);
  }
  return {};
}

struct path_end {
  std::string_view text;
  sim_api api;
};
constexpr std::array<path_end, 3> ends{{{"/chat/completions", sim_api::chat},
                                        {"/responses", sim_api::responses},
                                        {"/messages", sim_api::messages}}};

// Splits a path such as /v1beta/models/NAME:VERB or /model/NAME/VERB into the name and the verb.
struct path_verb {
  std::string_view before, separator, verb;
  sim_api api;
  bool is_stream;
};
constexpr std::array<path_verb, 6> verbs{{{"/models/", ":", "generateContent", sim_api::gemini, false},
                                          {"/models/", ":", "streamGenerateContent", sim_api::gemini, true},
                                          {"/model/", "/", "converse", sim_api::converse, false},
                                          {"/model/", "/", "converse-stream", sim_api::converse, true},
                                          {"/model/", "/", "invoke", sim_api::invoke, false},
                                          {"/model/", "/", "invoke-with-response-stream", sim_api::invoke, true}}};

constexpr std::array<std::string_view, 5> openai_parameters{"/tool_choice", "/response_format", "/reasoning_effort",
                                                            "/reasoning", "/text"};
constexpr std::array<std::string_view, 3> message_parameters{"/tool_choice", "/thinking", "/output_config"};
constexpr std::array<std::string_view, 3> gemini_parameters{"/toolConfig", "/generationConfig/responseSchema",
                                                            "/generationConfig/thinkingConfig"};
constexpr std::array<std::string_view, 2> converse_parameters{"/toolConfig/toolChoice",
                                                              "/additionalModelRequestFields"};

constexpr prompt_layout chat_layout{"/tools", {}, "/messages", "content", openai_parameters};
constexpr prompt_layout responses_layout{"/tools", {"/instructions"}, "/input", "content", openai_parameters};
// The layout of prompts in the Messages API. Anthropic ignores the text by which Claude Code identifies itself, because
// this text changes with each request.
constexpr prompt_layout messages_layout{
    "/tools", {"/system"}, "/messages", "content", message_parameters, proxy::attribution_begin};
constexpr prompt_layout gemini_layout{
    "/tools", {"/systemInstruction", "/system_instruction"}, "/contents", "parts", gemini_parameters};
constexpr prompt_layout converse_layout{
    "/toolConfig/tools", {"/system"}, "/messages", "content", converse_parameters};

}  // namespace

const prompt_layout& layout_of(sim_api api) {
  switch (api) {
    case sim_api::chat: break;
    case sim_api::responses: return responses_layout;
    case sim_api::messages:
    case sim_api::invoke: return messages_layout;
    case sim_api::gemini: return gemini_layout;
    case sim_api::converse: return converse_layout;
  }
  return chat_layout;
}

std::optional<sim_target> target_of(std::string_view path) {
  for (const path_end& each : ends)
    if (path.ends_with(each.text)) return sim_target{.api = each.api, .model = {}};
  for (const path_verb& each : verbs) {
    const std::size_t before = path.find(each.before);
    const std::size_t separator = path.rfind(each.separator);
    if (before == std::string_view::npos || separator == std::string_view::npos) continue;
    const std::size_t from = before + each.before.size();
    if (separator <= from || path.substr(separator + 1) != each.verb) continue;
    return sim_target{each.api, proxy::percent_decoded(path.substr(from, separator - from)), each.is_stream};
  }
  return std::nullopt;
}

proxy::result<sim_request> parse_request(const sim_target& asked, const std::string& body,
                                         simdjson::dom::parser& parser) {
  const auto root = parse_object(body, parser);
  if (!root) return root.error();
  sim_request request{
      .model = asked.model, .is_stream = asked.is_stream, .prompt_tokens = guessed_tokens(body.size())};
  if (auto said = read_body(asked, *root, request); !said) return std::move(said).error();
  return request;
}

}  // namespace photofinish::gateway::simulator
