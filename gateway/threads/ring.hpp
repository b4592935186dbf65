// A bounded queue from one thread to another, without locks: if it is full, it refuses values and never waits.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace photofinish::gateway {

template <class T, std::size_t capacity>
class ring {
 public:
  // Called by the producer's thread. Returns false if the queue is full: the caller keeps the value.
  template <class V>
  bool push(V&& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == capacity) return false;
    slots_[tail % capacity] = std::forward<V>(value);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // Called by the producer's thread: an upper bound of the number of waiting values.
  std::size_t size() const {
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire);
  }

  // Called by the consumer's thread.
  std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    std::optional<T> value(std::move(slots_[head % capacity]));
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

 private:
  std::array<T, capacity> slots_{};
  // Next value to pop; on its own cache line, which the threads do not share.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};  // next free place
};

}  // namespace photofinish::gateway
