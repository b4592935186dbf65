// The bytes that a client has sent and the gateway has not consumed yet. Their number is limited, and they count
// towards the memory budget. [pure]
#pragma once

#include "gateway/http/client_limits.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class read_ahead_buffer {
 public:
  // The maximum number of bytes that are read ahead for a client. Further bytes stay in the kernel. The buffer has room
  // for the longest allowed head and one byte more, so that a longer head is detected.
  static constexpr std::size_t limit = longest_header + 1;

  explicit read_ahead_buffer(proxy::memory_share memory) : memory_(std::move(memory)) {}

  std::string_view unread() const { return std::string_view(bytes_).substr(consumed_); }
  void append(std::string_view bytes) { bytes_.append(bytes); }
  bool is_full() const { return unread().size() >= limit; }

  // Drops `count` bytes from the front. Keeps a capacity of at least `read_size` bytes, which is the maximum size of
  // one read.
  void consume(std::size_t count, std::size_t read_size) {
    is_starved_ = false;
    consumed_ += count;
    if (consumed_ == bytes_.size()) {
      bytes_.clear();
      if (bytes_.capacity() > read_size) bytes_.shrink_to_fit();
      if (memory_.held() > 0) memory_.shrink_to(0);
      consumed_ = 0;
    } else if (consumed_ > limit / 2) {
      bytes_.erase(0, consumed_);
      consumed_ = 0;
    }
  }
  void free_room() {
    if (bytes_.empty()) bytes_.shrink_to_fit();
  }

  // Reserves memory for another read. If no memory is available, nothing is read until some bytes are consumed. The
  // first read needs no reservation, because its bytes are few or are consumed immediately after the read.
  bool reserve(std::size_t read_size) {
    if (unread().size() <= proxy::memory_share::uncounted) return true;
    if (memory_.grow_to(unread().size() + read_size, proxy::memory_use::arriving)) return true;
    is_starved_ = true;
    return false;
  }
  bool is_starved() const { return is_starved_; }
  bool end_starvation() { return std::exchange(is_starved_, false); }
  void charge(proxy::memory_budget::account who) { memory_.charge(who); }

 private:
  std::string bytes_;
  std::size_t consumed_ = 0;
  bool is_starved_ = false;
  proxy::memory_share memory_;
};

}  // namespace photofinish::gateway
