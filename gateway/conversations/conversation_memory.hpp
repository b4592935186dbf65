// Data about conversations that the gateway stores between requests (docs/decisions/0069). It only helps later
// requests, which can also be answered without it. The process has one such object. Any thread may use it.
#pragma once

#include "gateway/conversations/item_store.hpp"
#include "gateway/conversations/reasoning_makers.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <cstdint>

namespace photofinish::gateway {

class conversation_memory {
 public:
  // Makes an empty memory. Stored data counts in `memory`, which must outlive this object. See reasoning_makers for
  // `salt`.
  conversation_memory(proxy::memory_budget& memory, std::uint64_t salt)
      : items_(memory), call_reasoning_(memory, reasoning_limits), makers_(memory, salt) {}

  // The output items of Responses answers, which are found by their ids. A later request may contain the id of an item
  // instead of the whole item.
  item_store& items() { return items_; }

  // Signed reasoning, which is found by the id of the tool call that follows it. It is needed if a client does not send
  // the reasoning back.
  item_store& call_reasoning() { return call_reasoning_; }

  // Stores which target made a piece of reasoning that only its provider can read.
  reasoning_makers& makers() { return makers_; }

 private:
  item_store items_;
  item_store call_reasoning_;
  reasoning_makers makers_;
};

}  // namespace photofinish::gateway
