// Buffers the events of an attempt until the race is decided. Counts the memory of all buffers of a race. [pure]
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
  std::size_t bytes = 0;  // memory of `events`, including unused capacity
};

class buffer_memory {
 public:
  explicit buffer_memory(proxy::memory_share share) : share_(std::move(share)) {}

  void add(const proxy::stream_event& event, event_buffer& buffer);
  // Frees a loser's events immediately, because the winner's answer may take minutes.
  void drop(event_buffer& buffer);

  // Returns a failure if the memory budget has no memory for all buffers, or if the size of this buffer exceeds `limit`
  // bytes.
  proxy::maybe_failure check(const event_buffer& buffer, std::size_t limit);

  // Returns the memory share, which then belongs to the owner of the winner's events. Later events are not counted.
  proxy::memory_share take();
  // Counts the memory of a buffer that the race keeps. Returns false if the memory budget refuses this memory.
  bool count(const event_buffer& buffer);

 private:
  std::size_t bytes_ = 0;  // total bytes in all buffers of the race
  proxy::memory_share share_;
};

}  // namespace photofinish::racing
