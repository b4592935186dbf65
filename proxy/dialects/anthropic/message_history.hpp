// Thinking in a history of Messages: what its own family cannot read, or is known to be another target's, is taken out,
// because it would refuse all of the request. All of it goes if it has refused that. [pure]
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

struct history_facts {
  std::size_t removed = 0;  // blocks
  // The model is in the middle of calls whose thinking is not there: it cannot be asked to think now.
  bool lacks_thinking_of_calls = false;
};

// `messages` is the list, a span of the text that is edited.
enum class removed_thinking : std::uint8_t { foreign, all };
history_facts clean_history(std::string_view messages, removed_thinking which, json_edits& edits,
                            foreign_reasoning* known = nullptr);

// Whether some block of thinking of its own family is in the history.
bool brings_thinking(const client_body& body);

}  // namespace photofinish::proxy
