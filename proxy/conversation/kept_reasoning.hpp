// Restores the signed reasoning before tool calls if a client dropped it. [pure]
#pragma once

#include "proxy/conversation/conversation_builder.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// A function that returns the stored reasoning of a call as a list of reasoning_details. It returns nullopt if no
// reasoning is stored, or if the list is longer than `most` bytes.
using reasoning_lookup = std::function<std::optional<std::string>(std::string_view key, std::size_t most)>;

// Returns the key under which the reasoning of a call is stored. Returns an empty string if the call's id may also
// occur in other conversations.
std::string reasoning_key(std::string_view call_id, std::string_view name);

struct restored_limits {
  // The maximum number of calls in one conversation whose reasoning is looked up. The search begins with the last call.
  std::size_t calls = 1000;
  std::size_t bytes = 4u << 20;      // the maximum size of all restored reasoning, in bytes
  std::size_t blocks = max_blocks;   // the maximum number of blocks in the conversation, including restored reasoning
};

// Restores the reasoning that a client dropped. If the client sent signed reasoning with a call, that
// reasoning stays unchanged.
void restore_reasoning(conversation& said, const reasoning_lookup& find, restored_limits limits = {});

}  // namespace photofinish::proxy
