// What the gateway remembers of conversations between two requests (docs/decisions/0069). It is a hint for later
// requests: each of them is served without it, too. One for the process; any thread.
#pragma once

#include "gateway/conversations/item_store.hpp"
#include "gateway/conversations/reasoning_makers.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <cstdint>

namespace photofinish::gateway {

class conversation_memory {
 public:
  // Everything in it counts in `memory`, which outlives it. `salt`: see reasoning_makers.
  conversation_memory(proxy::memory_budget& memory, std::uint64_t salt)
      : items_(memory), call_reasoning_(memory, reasoning_limits), makers_(memory, salt) {}

  // Output items of Responses by their ids, which a later request may name instead of repeating them.
  item_store& items() { return items_; }

  // Signed reasoning by the call that it led to, for clients that drop it.
  item_store& call_reasoning() { return call_reasoning_; }

  // Makers of reasoning that only its provider can read.
  reasoning_makers& makers() { return makers_; }

 private:
  item_store items_;
  item_store call_reasoning_;
  reasoning_makers makers_;
};

}  // namespace photofinish::gateway
