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
  std::size_t bytes = 0;  // memory that `events` takes, including its spare capacity
};

class buffer_memory {
 public:
  explicit buffer_memory(proxy::memory_share share) : share_(std::move(share)) {}

  void add(const proxy::stream_event& event, event_buffer& buffer);
  // Frees a loser's events before the request ends, because the answer may take minutes.
  void drop(event_buffer& buffer);

  // Returns a failure if the memory budget has no room for all buffers, or if this buffer holds more than `limit`
  // bytes.
  proxy::maybe_failure check(const event_buffer& buffer, std::size_t limit);

  // Passes on the memory share together with the winner's events. Later events are not counted.
  proxy::memory_share take();
  // Adds the memory of a buffer that stays with the race. Returns false if there is no memory for it.
  bool count(const event_buffer& buffer);

 private:
  std::size_t bytes_ = 0;  // total bytes in all buffers of the race
  proxy::memory_share share_;
};

}  // namespace photofinish::racing
