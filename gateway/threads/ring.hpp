// A bounded queue from one thread to one other, without locks: full means refused, never waited for.
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
  // The producer's thread. False when full: the value stays with the caller.
  template <class V>
  bool push(V&& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == capacity) return false;
    slots_[tail % capacity] = std::forward<V>(value);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // The producer's thread: values that wait, at most.
  std::size_t size() const {
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire);
  }

  // The consumer's thread.
  std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    std::optional<T> value(std::move(slots_[head % capacity]));
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

 private:
  std::array<T, capacity> slots_{};
  alignas(64) std::atomic<std::size_t> head_{0};  // next to pop; apart, so that the two threads share no line
  alignas(64) std::atomic<std::size_t> tail_{0};  // next to push
};

}  // namespace photofinish::gateway
