// What the gateway remembers of conversations between two requests (docs/decisions/0069). It is a hint for later
// requests: each of them is served without it, too. One for the process; any thread.
#pragma once

#include "gateway/conversations/kept_items.hpp"
#include "proxy/memory/memory_budget.hpp"

namespace photofinish::gateway {

class conversation_memory {
 public:
  // Everything in it counts in `memory`, which outlives it.
  explicit conversation_memory(proxy::memory_budget& memory)
      : items_(memory), call_reasoning_(memory, reasoning_limits) {}

  // Output items of Responses by their ids, which a later request may name instead of repeating them.
  kept_items& items() { return items_; }

  // Signed reasoning by the call that it led to, for clients that drop it.
  kept_items& call_reasoning() { return call_reasoning_; }

 private:
  kept_items items_;
  kept_items call_reasoning_;
};

}  // namespace photofinish::gateway
