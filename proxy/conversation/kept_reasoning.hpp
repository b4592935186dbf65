// Gives a conversation's calls the signed reasoning back that their client has dropped. [pure]
#pragma once

#include "proxy/conversation/conversation_builder.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// What was kept of a call: a list of reasoning_details. None: nothing, or more than `most` bytes.
using reasoning_lookup = std::function<std::optional<std::string>(std::string_view key, std::size_t most)>;

// Under which it is kept. Empty where the id may be another call's, too.
std::string reasoning_key(std::string_view call_id, std::string_view name);

struct restored_limits {
  std::size_t calls = 1000;          // looked up, the last ones of a conversation
  std::size_t bytes = 4u << 20;      // of all that is given back
  std::size_t blocks = max_blocks;   // of the conversation, with what is given back
};

// Where a call's reasoning comes with a signature, it stays as the client has it.
void restore_reasoning(conversation& said, const reasoning_lookup& find, restored_limits limits = {});

}  // namespace photofinish::proxy
