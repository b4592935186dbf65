// Removes thinking from a history of Messages if Claude cannot read it or if another target made it, because Claude
// would refuse the whole request. After such a refusal, all thinking is removed. [pure]
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
  // True if the history ends between calls whose thinking is missing. The model cannot be asked to think then.
  bool lacks_thinking_of_calls = false;
};

// Selects which thinking is removed: only thinking that Claude would refuse, or all of it.
enum class removed_thinking : std::uint8_t { foreign, all };
history_facts clean_history(std::string_view messages, removed_thinking which, json_edits& edits,
                            foreign_reasoning* known = nullptr);

// Returns true if the history contains thinking that Claude signed or encrypted.
bool brings_thinking(const client_body& body);

}  // namespace photofinish::proxy
