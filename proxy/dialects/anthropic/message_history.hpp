// Thinking in a history of Messages: what its own family cannot read is taken out, for it would refuse all of the
// request. [pure]
#pragma once

#include "proxy/json/json_edits.hpp"

#include <string_view>

namespace photofinish::proxy {

struct history_facts {
  bool has_removed = false;
  // The model is in the middle of calls whose thinking is not there: it cannot be asked to think now.
  bool lacks_thinking_of_calls = false;
};

// `messages` is the list, a span of the text that is edited.
history_facts clean_history(std::string_view messages, json_edits& edits);

}  // namespace photofinish::proxy
