// Finds the text of a chunk, and all other strings that chunk_facts stores. chunk_pattern.hpp and chunk_shapes.hpp use
// these functions. [pure]
#pragma once

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"
#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Returns the text of a chunk with one choice and one text, as a JSON value. If a chunk contains the same key twice,
// the function may return the value of the wrong member. Such a value is empty or is not a string.
std::optional<std::string_view> find_chunk_text(std::string_view choices, const chunk_facts& facts,
                                                const chunk_form& form);

// True if the inspector never reads this member, even if its value is another string or number. Such members are
// padding that changes from chunk to chunk, such as OpenAI's `obfuscation` and Mistral's `p`.
bool is_unread(const json_member& member);

// Calls `see` for each string of a chunk with one choice, except the text of the choice. Returns false if any call
// returned false.
template <class See>
bool see_strings(chunk_facts& facts, const See& see) {
  choice_facts& choice = facts.choices[0];
  const bool all = see(facts.id) && see(facts.model) && see(choice.role_text) && see(choice.finish_text);
  return all && std::all_of(facts.calls.begin(), facts.calls.end(),
                            [&see](tool_call_facts& call) { return see(call.id) && see(call.name); });
}

}  // namespace photofinish::proxy
