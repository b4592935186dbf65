#include "gateway/api/json_body.hpp"

#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

using words = std::span<const std::string_view>;

constexpr std::string_view prompts[] = {"input", "instructions", "messages", "prompt", "suffix", "system"};
// The list is searched from its start, so the most frequent member names come first.
constexpr std::string_view settings[] = {
    "model", "stream", "max_tokens", "temperature", "stream_options", "max_completion_tokens", "tool_choice", "top_p",
    "reasoning_effort", "response_format", "max_output_tokens", "store", "n", "stop", "user", "seed", "background",
    "best_of", "cache_control", "chat_template_kwargs", "dimensions", "echo", "encoding_format", "frequency_penalty",
    "function_call", "functions", "include", "input_type", "logit_bias", "logprobs", "max_tool_calls", "metadata",
    "min_p", "output_config", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
    "prompt_cache_retention", "reasoning", "reasoning_format", "repetition_penalty", "safety_identifier",
    "service_tier", "speed", "stop_sequences", "text", "thinking", "top_k", "top_logprobs", "truncation", "verbosity"};
// Names of members that contain text or the arguments of a tool call, in messages and their parts.
constexpr std::string_view texts[] = {
    "role", "text", "tool_calls", "tool_call_id", "name", "id", "cache_control", "tool_use_id", "input", "arguments",
    "call_id", "annotations", "citations", "data", "encrypted_content", "function", "function_call", "index",
    "is_error", "logprobs", "phase", "reasoning", "reasoning_content", "reasoning_details", "refusal", "signature",
    "status", "thinking"};
constexpr std::string_view nested_texts[] = {"content", "output", "summary"};
constexpr std::string_view text_types[] = {
    "custom_tool_call", "custom_tool_call_output", "function_call", "function_call_output", "input_text", "message",
    "output_text", "reasoning", "reasoning_text", "redacted_thinking", "refusal", "summary_text", "text", "thinking",
    "tool_result", "tool_use"};
constexpr std::string_view clients_tools[] = {"custom", "function"};

bool is_one_of(std::string_view word, words all) { return std::find(all.begin(), all.end(), word) != all.end(); }

bool is_one_of(simdjson::dom::element value, words all) {
  std::string_view word;
  return value.get(word) == simdjson::SUCCESS && is_one_of(word, all);
}

bool is_text(simdjson::dom::element value, std::size_t levels);

bool is_text_object(simdjson::dom::object of, std::size_t levels) {
  // True if the object has a type or a role. An object with neither may refer to data that a provider stores.
  bool is_named = false;
  for (const auto [key, value] : of) {
    is_named |= key == "type" || key == "role";
    // Searches nested_texts first, because this list is short, and each message contains one of its keys.
    const bool is_nested = is_one_of(key, nested_texts);
    const bool is_known = is_nested ? is_text(value, levels)
                                    : is_one_of(key, texts) || (key == "type" && is_one_of(value, text_types));
    if (!is_known && !value.is_null()) return false;
  }
  return is_named;
}

bool is_text(simdjson::dom::element value, std::size_t levels) {
  simdjson::dom::object object;
  if (value.get(object) == simdjson::SUCCESS) return levels > 0 && is_text_object(object, levels - 1);
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return true;
  if (levels == 0) return false;
  for (const simdjson::dom::element each : array) {
    // Returns true at the first number, because a prompt that contains one token id contains only token ids.
    if (each.is_number()) return true;
    if (!is_text(each, levels - 1)) return false;
  }
  return true;
}

// True if the client itself runs all tools of the request. Tools of other types are run by the provider, and their
// results are additional input for the model.
bool are_clients_tools(simdjson::dom::element value) {
  simdjson::dom::array tools;
  if (value.get(tools) != simdjson::SUCCESS) return false;
  return std::all_of(tools.begin(), tools.end(), [](simdjson::dom::element tool) {
    simdjson::dom::object members;
    if (tool.get(members) != simdjson::SUCCESS) return false;
    simdjson::dom::element type;
    return members.at_key("type").get(type) != simdjson::SUCCESS || is_one_of(type, clients_tools);
  });
}

// True if the body contains only text members that this gateway knows. An unknown member or type may refer to a
// picture, a file or a conversation.
bool is_text_alone(simdjson::dom::element root) {
  constexpr std::size_t most_levels = 8;
  simdjson::dom::object members;
  if (root.get(members) != simdjson::SUCCESS) return false;
  for (const auto [key, value] : members) {
    // The names of members that contain prompts are checked first, because there are only a few such names.
    const bool is_prompt = is_one_of(key, prompts);
    const bool is_known = is_prompt ? !value.is_object() && is_text(value, most_levels)
                                    : is_one_of(key, settings) || (key == "tools" && are_clients_tools(value));
    if (!is_known && !value.is_null()) return false;
  }
  return true;
}

// Checks that the body is a JSON object, and collects facts about its members. Returns an error, or nothing if the body
// is valid.
std::optional<api_error> check_json(std::string& body, proxy::tolerant_parser& parser, std::size_t most_values,
                                    bool& reads_text_alone) {
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
  reads_text_alone = is_text_alone(root);
  return std::nullopt;
}

}  // namespace

read_json read_json_body(std::string text, std::span<const std::string_view> single, proxy::tolerant_parser& parser,
                         std::size_t most_values) {
  json_body read;
  if (auto error = check_json(text, parser, most_values, read.is_text_alone)) return *std::move(error);
  read.text = std::make_shared<const proxy::client_body>(std::move(text));
  const proxy::client_body* const body = read.text.get();
  if (body->members().members().size() > max_body_members)
    return bad_request("the body has more than " + std::to_string(max_body_members) + " top-level members");
  if (const std::string_view* const repeated = body->members().find_repeated(single))
    return bad_request("'" + std::string(*repeated) + "' is given twice", std::string(*repeated));
  return read;
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
  const auto error = [](std::string_view fault) {
    return bad_request("'model' " + std::string(fault) + ": name a route, provider/model, or a list of them", "model");
  };
  if (model.empty() || proxy::json_is_null(model)) return error("is missing");
  if (!proxy::json_is_string(model)) return error("must be a string");
  if (proxy::json_raw_string(model).empty()) return error("is empty");
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
