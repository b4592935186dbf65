// Entries about cached prefixes that workers have written recently. Another thread reads them here and shares them with
// other gateways. [pure] Any thread pushes and one thread pops, without locks. The log is a bounded queue in which each
// cell has a turn number (Vyukov's algorithm). A full queue rejects entries, which does no harm, because entries are
// only hints.
#pragma once

#include "racing/prefixes/prefix_table.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

namespace photofinish::gateway {

class prefix_log {
 public:
  static constexpr std::size_t capacity = 1024;

  prefix_log() {
    for (std::size_t at = 0; at < capacity; ++at) cells_[at].turn.store(at, std::memory_order_relaxed);
  }

  bool push(const racing::prefix_entry& entry) {
    std::size_t place = next_.load(std::memory_order_relaxed);
    for (;;) {
      cell& its = cells_[place % capacity];
      const std::size_t turn = its.turn.load(std::memory_order_acquire);
      if (turn == place) {
        if (!next_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed)) continue;
        its.entry = entry;
        its.turn.store(place + 1, std::memory_order_release);
        return true;
      }
      if (turn < place) return false;
      place = next_.load(std::memory_order_relaxed);
    }
  }

  // Removes the oldest entry. Only one thread at a time may call this function.
  std::optional<racing::prefix_entry> pop() {
    cell& its = cells_[first_ % capacity];
    if (its.turn.load(std::memory_order_acquire) != first_ + 1) return std::nullopt;
    const racing::prefix_entry entry = its.entry;
    its.turn.store(first_ + capacity, std::memory_order_release);
    ++first_;
    return entry;
  }

 private:
  struct cell {
    // the number of the push that may fill this cell, or this number plus 1 if the cell is filled
    std::atomic<std::size_t> turn = 0;
    racing::prefix_entry entry;
  };

  std::array<cell, capacity> cells_;
  std::atomic<std::size_t> next_ = 0;
  std::size_t first_ = 0;  // the index of the next entry to pop; only the popping thread may use this index
};

}  // namespace photofinish::gateway
