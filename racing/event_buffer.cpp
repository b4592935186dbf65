#include "racing/event_buffer.hpp"

#include <algorithm>
#include <string>

namespace photofinish::racing {
namespace {

// One read usually returns at most this number of events. The buffer is empty again as soon as the winner's events have
// been passed on.
constexpr std::size_t usual_events = 8;

}  // namespace

void buffer_memory::add(const proxy::stream_event& event, event_buffer& buffer) {
  const std::size_t places_before = buffer.events.capacity();
  if (buffer.events.empty()) buffer.events.reserve(usual_events);
  const std::size_t heap_bytes = buffer.events.emplace_back(event).heap_bytes();
  const std::size_t bytes = heap_bytes + (buffer.events.capacity() - places_before) * sizeof(proxy::kept_event);
  buffer.bytes += bytes;
  bytes_ += bytes;
}

void buffer_memory::drop(event_buffer& buffer) {
  // Subtracts at most `bytes_`. take() may already have handed over the memory of this buffer and reset `bytes_` to 0.
  bytes_ -= std::min(bytes_, std::exchange(buffer.bytes, 0));
  std::vector<proxy::kept_event>().swap(buffer.events);
}

proxy::maybe_failure buffer_memory::check(const event_buffer& buffer, std::size_t limit) {
  if (!share_.grow_to(bytes_, proxy::memory_use::running))
    return proxy::no_memory_for("the events before the race is decided");
  if (buffer.bytes <= limit) return std::nullopt;
  proxy::failure why;
  why.kind = proxy::failure_kind::bad_stream;
  why.detail = "the target sent " + std::to_string(buffer.events.size()) +
               " events without a token, more than max_buffered (" +
               std::to_string(limit) + " bytes of memory) allows";
  return why;
}

proxy::memory_share buffer_memory::take() {
  bytes_ = 0;
  return std::exchange(share_, share_.another());
}

bool buffer_memory::count(const event_buffer& buffer) {
  bytes_ += buffer.bytes;
  return share_.grow_to(bytes_, proxy::memory_use::running);
}

}  // namespace photofinish::racing
