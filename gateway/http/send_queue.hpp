// The bytes that the kernel has not accepted for a client yet, and the memory that they occupy. [pure]
#pragma once

#include "proxy/memory/long_text.hpp"
#include "proxy/memory/memory_share.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class send_queue {
 public:
  explicit send_queue(proxy::memory_share memory) : memory_(std::move(memory)) {}

  bool empty() const { return text_.empty(); }
  std::size_t front(std::span<std::string_view> pieces) const { return text_.front(pieces); }
  void drop(std::size_t bytes) { text_.drop(bytes); }

  // Copies the pieces into the queue, except for the first `taken` bytes, which the kernel has already accepted.
  void append(std::span<const std::string_view> pieces, std::size_t taken) {
    for (const std::string_view piece : pieces) {
      const std::size_t skip = std::min(taken, piece.size());
      taken -= skip;
      text_.append(piece.substr(skip));
    }
  }
  // Adds a text without copying it. `counted` is the memory reservation that has covered the text until now, or an
  // empty reservation.
  void append(proxy::long_text text, proxy::memory_share counted) {
    if (counted.held() > 0) memory_ = std::move(counted);
    text_.append(std::move(text));
  }
  void clear() {
    text_ = {};
    memory_.shrink_to(0);
  }

  // Reserves memory for the queued bytes. Returns false if not enough memory is available.
  bool reserve() { return memory_.grow_to(text_.size(), proxy::memory_use::running); }
  void shrink() { memory_.shrink_to(text_.size()); }
  void charge(proxy::memory_budget::account who) { memory_.charge(who); }

 private:
  proxy::long_text text_;
  proxy::memory_share memory_;
};

}  // namespace photofinish::gateway
