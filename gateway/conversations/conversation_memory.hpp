// The gateway's memory of conversations between two requests (docs/decisions/0069). The memory only helps later
// requests, which are also served without it. The process has one such object, and any thread may use it.
#pragma once

#include "gateway/conversations/item_store.hpp"
#include "gateway/conversations/reasoning_makers.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <cstdint>

namespace photofinish::gateway {

class conversation_memory {
 public:
  // Makes an empty memory. All contents count in `memory`, which must outlive this object. `salt`: see
  // reasoning_makers.
  conversation_memory(proxy::memory_budget& memory, std::uint64_t salt)
      : items_(memory), call_reasoning_(memory, reasoning_limits), makers_(memory, salt) {}

  // The output items of Responses by their ids. A later request may name an item by its id instead of repeating the
  // item.
  item_store& items() { return items_; }

  // Signed reasoning by the id of the tool call after it, for clients that do not send the reasoning back.
  item_store& call_reasoning() { return call_reasoning_; }

  // The memory of which target made a piece of reasoning that only its provider can read.
  reasoning_makers& makers() { return makers_; }

 private:
  item_store items_;
  item_store call_reasoning_;
  reasoning_makers makers_;
};

}  // namespace photofinish::gateway
