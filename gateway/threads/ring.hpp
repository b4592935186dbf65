// A bounded queue from one thread to another, without locks. If the queue is full, it rejects values instead of
// waiting.
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
  // Adds a value. Only the producer's thread may call this function. Returns false if the queue is full. In that case
  // the caller still has the value.
  template <class V>
  bool push(V&& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == capacity) return false;
    slots_[tail % capacity] = std::forward<V>(value);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // Returns an upper limit for the number of waiting values. Only the producer's thread may call this function.
  std::size_t size() const {
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire);
  }

  // Removes the oldest value. Only the consumer's thread may call this function.
  std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    std::optional<T> value(std::move(slots_[head % capacity]));
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

 private:
  std::array<T, capacity> slots_{};
  // The index of the next value to pop. It has its own cache line, so that the two threads do not compete for the same
  // line.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};  // the index of the next free slot
};

}  // namespace photofinish::gateway
