// Where a chunk has its text, and which of its strings are facts. [pure]
// For chunk_pattern.hpp and chunk_shapes.hpp.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"
#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// The value that is the text of a chunk with one choice and one text. Another value of that key may be the text, but
// then this value is not a string, or is empty.
std::optional<std::string_view> find_chunk_text(std::string_view choices, const chunk_facts& facts,
                                                const chunk_form& form);

// The inspector does not read this member of a chunk, whatever its string or number is. Members that pad, like OpenAI's
// `obfuscation` and Mistral's `p`, change from chunk to chunk.
bool is_unread(const json_member& member);

// All strings of a chunk with one choice, except the text. False: `see` has returned false for one.
template <class See>
bool see_strings(chunk_facts& facts, const See& see) {
  choice_facts& choice = facts.choices[0];
  const bool all = see(facts.id) && see(facts.model) && see(choice.role_text) && see(choice.finish_text);
  return all && std::all_of(facts.calls.begin(), facts.calls.end(),
                            [&see](tool_call_facts& call) { return see(call.id) && see(call.name); });
}

}  // namespace photofinish::proxy
