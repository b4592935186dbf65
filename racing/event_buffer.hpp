// Buffers the events of an attempt until the race is decided, and counts the memory of all buffers of a race. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace photofinish::racing {

struct event_buffer {
  std::vector<proxy::kept_event> events;
  std::size_t bytes = 0;  // memory of `events`, including its spare capacity
};

class buffer_memory {
 public:
  explicit buffer_memory(proxy::memory_share share) : share_(std::move(share)) {}

  void add(const proxy::stream_event& event, event_buffer& buffer);
  // Frees a loser's events early, because the answer may take minutes.
  void drop(event_buffer& buffer);

  // Returns a failure if the budget has no memory for all buffers, or if this buffer holds more than `limit` bytes.
  proxy::maybe_failure check(const event_buffer& buffer, std::size_t limit);

  // Hands the memory share over with the winner's events. Nothing is counted afterwards.
  proxy::memory_share take();
  bool count(const event_buffer& buffer);  // adds a buffer that stays with the race; false: no memory for it

 private:
  std::size_t bytes_ = 0;  // bytes of all buffers
  proxy::memory_share share_;
};

}  // namespace photofinish::racing
