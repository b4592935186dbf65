#include "proxy/dialects/models/model_demands.hpp"

#include "proxy/json/json_text.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

std::string_view value_in(std::string_view object, std::string_view key) {
  return json_find(object, key).value_or(std::string_view{});
}

bool says_something(std::string_view value) { return json_is_string(value) && !json_raw_string(value).empty(); }

bool has_entries(std::string_view list) { return json_is_array(list) && json_walk(list).next_element(); }

// A text with one space, for models that refuse an empty text.
constexpr std::string_view filler = R"(" ")";

}  // namespace

bool is_unthinking(const client_body& body, wire_format format) {
  if (format != wire_format::openai_responses) return body.value_of("reasoning_effort") == R"("none")";
  return json_find(body.value_of("reasoning"), "effort") == R"("none")";
}

bool refuses_parameters(const openai_facts& facts, const client_body& body, wire_format format) {
  if (format != wire_format::openai_chat && format != wire_format::openai_responses) return false;
  if (!facts.params.only_thinking) return true;
  const bool is_unsaid = !says_something(format == wire_format::openai_chat
                                             ? body.value_of("reasoning_effort")
                                             : value_in(body.value_of("reasoning"), "effort"));
  return is_unsaid ? facts.thinking.default_effort != "none" : !is_unthinking(body, format);
}

void give_reasoning(const client_body& body, demanded_reasoning demands, json_edits& edits) {
  const std::string_view list = body.value_of("messages");
  if (demands == demanded_reasoning::none || !json_is_array(list)) return;
  if (value_in(body.value_of("thinking"), "type") == R"("disabled")") return;
  json_walk walk(list);
  while (const auto each = walk.next_element()) {
    if (value_in(*each, "role") != R"("assistant")" || says_something(value_in(*each, "reasoning_content"))) continue;
    if (demands == demanded_reasoning::of_calls && !has_entries(value_in(*each, "tool_calls"))) continue;
    const std::string_view other = value_in(*each, "reasoning");
    const std::string_view text = says_something(other) ? other : filler;
    const auto there = json_find(*each, "reasoning_content");
    if (there) edits.replace(*there, text);
    else edits.insert_member(*each, R"("reasoning_content":)" + std::string(text));
  }
}

}  // namespace photofinish::proxy
