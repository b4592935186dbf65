// Removes thinking blocks from the history of a Messages request if Claude would refuse them. [pure] Claude refuses the
// whole request if it contains a thinking block that Claude cannot read or that another target made. If Claude still
// refuses the request, the gateway removes all thinking blocks.
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

struct history_facts {
  std::size_t removed = 0;  // the number of removed blocks
  // True if the history ends with tool results, and the assistant's turn that called the tools does not begin with
  // thinking. The model must then answer without thinking.
  bool lacks_thinking_of_calls = false;
};

// Selects the thinking blocks to remove: only blocks that Claude would refuse, or all blocks.
enum class removed_thinking : std::uint8_t { foreign, all };
history_facts clean_history(std::string_view messages, removed_thinking which, json_edits& edits,
                            foreign_reasoning* known = nullptr);

// Returns true if the history contains thinking that Claude signed or encrypted.
bool brings_thinking(const client_body& body);

}  // namespace photofinish::proxy
