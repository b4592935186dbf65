// Writes the facts of a chunk as text, so that tests can compare two inspections of the chunk.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::test {

inline std::string number(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : "-"; }

// Returns every fact about a chunk as text.
inline std::string described(const proxy::chunk_facts& facts) {
  const auto quoted = [](std::string_view text) { return "'" + std::string(text) + "' "; };
  std::string all = std::to_string(static_cast<int>(facts.kind)) + (facts.is_error ? " error " : " ") +
                    std::to_string(facts.text_bytes) + " " + std::to_string(facts.reasoning_bytes) + " " +
                    quoted(facts.id) + quoted(facts.model) + number(facts.created) +
                    (facts.has_choices ? " choices" : "") + (facts.has_usage ? " has_usage" : "");
  if (facts.tier) all.append(" tier ").append(to_string(*facts.tier));
  if (facts.usage) all += " usage " + std::to_string(facts.usage->input_tokens) + "/" +
                          std::to_string(facts.usage->output_tokens);
  for (const proxy::choice_facts& each : facts.choices)
    all += " | " + number(each.index) + " " + std::to_string(static_cast<int>(each.delta)) +
           std::to_string(static_cast<int>(each.role)) + std::to_string(static_cast<int>(each.finish)) + " " +
           quoted(each.role_text) + quoted(each.finish_text) + std::to_string(each.first_call) + "+" +
           std::to_string(each.calls);
  for (const proxy::tool_call_facts& each : facts.calls)
    all += " | call " + number(each.index) + " " + quoted(each.id) + quoted(each.name) + quoted(each.arguments);
  for (const proxy::delta& each : facts.deltas)
    all += " | text " + std::to_string(static_cast<int>(each.kind)) + " " + std::to_string(each.choice) + " " +
           std::to_string(each.part) + " " + quoted(each.text);
  return all;
}

}  // namespace photofinish::test
