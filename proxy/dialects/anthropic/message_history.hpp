// Removes thinking blocks from the history of a Messages request if Claude cannot read them or if another target made
// them, because Claude would refuse the whole request. If Claude refuses the request nevertheless, all thinking blocks
// are removed. [pure]
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

struct history_facts {
  std::size_t removed = 0;  // number of removed blocks
  // True if the history ends with tool results, and the assistant's turn with their calls does not begin with thinking.
  // The model must then answer without thinking.
  bool lacks_thinking_of_calls = false;
};

// Selects the thinking blocks that are removed: only those that Claude would refuse, or all of them.
enum class removed_thinking : std::uint8_t { foreign, all };
history_facts clean_history(std::string_view messages, removed_thinking which, json_edits& edits,
                            foreign_reasoning* known = nullptr);

// Returns true if the history contains thinking that Claude signed or encrypted.
bool brings_thinking(const client_body& body);

}  // namespace photofinish::proxy
