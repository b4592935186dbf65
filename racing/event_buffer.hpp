// The events of an attempt, buffered until the race is decided, and the memory that all buffers of a race take. [pure]
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
  std::size_t bytes = 0;  // memory of `events`, its spare room included
};

class buffer_memory {
 public:
  explicit buffer_memory(proxy::memory_share share) : share_(std::move(share)) {}

  void add(const proxy::stream_event& event, event_buffer& buffer);
  // An answer may take minutes, and what a loser has said is of no use.
  void drop(event_buffer& buffer);

  // A failure if the budget has no memory for all buffers, or if this one holds more than `limit` bytes.
  proxy::maybe_failure check(const event_buffer& buffer, std::size_t limit);

  // The share goes with the winner's events to the answer that they become. Afterwards nothing is counted.
  proxy::memory_share take();
  bool count(const event_buffer& buffer);  // a buffer that stays with the race. False: there is no memory for it

 private:
  std::size_t bytes_ = 0;  // of all buffers
  proxy::memory_share share_;
};

}  // namespace photofinish::racing
