#include "proxy/dialects/models/client_names.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace photofinish::proxy {
namespace {

// The names of the reasoning parameter in all APIs. If a client sent several of them, the gateway reports the first
// name in this list.
constexpr auto reasoning_names = std::to_array<std::string_view>(
    {"reasoning_effort", "reasoning.effort", "output_config.effort", "reasoning.max_tokens", "reasoning", "thinking",
     "enable_thinking", "thinking_budget", "output_config", "thinkingConfig"});
constexpr auto length_names = std::to_array<std::string_view>(
    {"max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"});
constexpr auto stop_names = std::to_array<std::string_view>({"stop", "stop_sequences", "stopSequences"});
constexpr auto top_p_names = std::to_array<std::string_view>({"top_p", "topP"});
constexpr auto top_k_names = std::to_array<std::string_view>({"top_k", "topK"});
constexpr auto presence_names = std::to_array<std::string_view>({"presence_penalty", "presencePenalty"});
constexpr auto frequency_names = std::to_array<std::string_view>({"frequency_penalty", "frequencyPenalty"});
constexpr auto user_names = std::to_array<std::string_view>({"user", "safety_identifier", "metadata.user_id"});
constexpr auto parallel_names =
    std::to_array<std::string_view>({"parallel_tool_calls", "tool_choice.disable_parallel_tool_use"});
constexpr auto tier_names = std::to_array<std::string_view>({"service_tier", "speed", "serviceTier"});
constexpr auto format_names = std::to_array<std::string_view>(
    {"response_format", "response_format.json_schema", "text.format", "output_config.format", "output_format"});

constexpr std::array<std::span<const std::string_view>, 11> same_things{
    reasoning_names, length_names,    stop_names, top_p_names,    top_k_names,
    presence_names,  frequency_names, user_names, parallel_names, tier_names,
    format_names};

// True if the client sent the parameter. `path` is the parameter's path, which may contain one dot.
bool is_sent(const client_body& body, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string_view value = body.value_of(path.substr(0, dot));
  if (dot == std::string_view::npos) return !value.empty() && value != "null";
  const auto inner = json_is_object(value) ? json_find(value, path.substr(dot + 1)) : std::nullopt;
  return inner && *inner != "null";
}

// Returns the client's name of a dropped parameter. The name `reasoning` stays unchanged, because in the header
// x-race-dropped this name stands for the reasoning in earlier turns.
std::string_view client_name_of(std::string_view name, const client_body& body) {
  if (name == "reasoning" || is_sent(body, name)) return name;
  for (const std::span<const std::string_view> names : same_things) {
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    const auto is_own = [&body](std::string_view each) { return is_sent(body, each); };
    const auto own = std::find_if(names.begin(), names.end(), is_own);
    return own == names.end() ? name : *own;
  }
  return name;
}

bool turns_thinking_off(const client_body& body) {
  const std::string_view thinking = body.value_of("thinking");
  const auto type = json_is_object(thinking) ? json_find(thinking, "type") : std::nullopt;
  return type == R"("disabled")" || type == R"("between_tools")";
}

}  // namespace

std::vector<std::string> in_client_names(std::vector<std::string> names, const client_body& body, wire_format from) {
  const bool is_off = from == wire_format::anthropic_messages && turns_thinking_off(body);
  std::vector<std::string> all;
  for (std::string& each : names) {
    // If the client turned thinking off and the effort was dropped, the dropped parameter is reported as `thinking`.
    // The translation created this effort from the client's `thinking`. A client's own `effort` applies only to the
    // answer.
    const bool is_of_thinking = is_off && (each == "reasoning_effort" || each == "reasoning.effort");
    std::string name = is_of_thinking ? "thinking" : std::string(client_name_of(each, body));
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
  }
  return all;
}

}  // namespace photofinish::proxy
