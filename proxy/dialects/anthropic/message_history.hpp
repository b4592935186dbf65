// Removes thinking from a history of Messages if Claude cannot read it or if another target made it, because Claude
// would refuse the whole request. After such a refusal, removes all thinking. [pure]
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

struct history_facts {
  std::size_t removed = 0;  // number of blocks
  // The model is between calls whose thinking is missing, so it cannot be asked to think now.
  bool lacks_thinking_of_calls = false;
};

// `messages` is the list, a part of the edited text.
enum class removed_thinking : std::uint8_t { foreign, all };
history_facts clean_history(std::string_view messages, removed_thinking which, json_edits& edits,
                            foreign_reasoning* known = nullptr);

// True if the history contains thinking that Claude signed or encrypted.
bool brings_thinking(const client_body& body);

}  // namespace photofinish::proxy
