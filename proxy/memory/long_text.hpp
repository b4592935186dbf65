// A text that grows in parts and may become long. The text is stored in blocks. Appending therefore does not copy
// stored bytes, and removing bytes from the front does not move the other bytes. [pure]
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

class long_text {
 public:
  // The size of a block. Copying a block takes a few tens of microseconds. The allocator reuses memory of this size, so
  // that it need not request memory from the system.
  static constexpr std::size_t block_bytes = 256u << 10;

  long_text() = default;
  explicit long_text(std::string text) { append(std::move(text)); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }  // in bytes

  void append(std::string_view bytes) {
    if (blocks_.empty() || blocks_.back().size() + bytes.size() > block_bytes) return append_beyond(bytes);
    blocks_.back() += bytes;
    size_ += bytes.size();
  }

  void append(const char* text) { append(std::string_view(text)); }

  // Appends a text. A long text becomes a block without being copied.
  void append(std::string&& text) {
    if (text.size() < block_bytes / 2) return append(std::string_view(text));
    size_ += text.size();
    blocks_.push_back(std::move(text));
  }

  // Empties `more`.
  void append(long_text&& more) {
    more.drop(0);
    if (more.first_ != 0) more.blocks_.front().erase(0, std::exchange(more.first_, 0));
    if (more.blocks_.size() == 1) {
      append(std::move(more.blocks_.front()));
    } else {
      size_ += more.size_;
      std::move(more.blocks_.begin(), more.blocks_.end(), std::back_inserter(blocks_));
    }
    more = {};
  }

  // Stores views of the first blocks in `into`, as many as fit. Returns the number of views.
  std::size_t front(std::span<std::string_view> into) const {
    const std::size_t count = std::min(into.size(), blocks_.size());
    for (std::size_t at = 0; at < count; ++at) into[at] = blocks_[at];
    if (count > 0) into[0].remove_prefix(first_);
    return count;
  }

  // Removes this many bytes from the front, at most size(). Blocks that are removed completely are freed.
  void drop(std::size_t bytes) {
    size_ -= bytes;
    first_ += bytes;
    auto whole = blocks_.begin();
    for (; whole != blocks_.end() && first_ >= whole->size(); ++whole) first_ -= whole->size();
    blocks_.erase(blocks_.begin(), whole);
  }

  std::string text() const {
    std::string all;
    all.reserve(size_);
    for (const std::string& block : blocks_) all += block;
    return all.erase(0, first_);
  }

 private:
  void append_beyond(std::string_view bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      if (blocks_.empty() || blocks_.back().size() >= block_bytes) add_block();
      const std::string_view piece = bytes.substr(0, block_bytes - blocks_.back().size());
      blocks_.back().append(piece);
      bytes.remove_prefix(piece.size());
    }
  }
  void add_block() {
    blocks_.emplace_back();
    if (blocks_.size() > 1) blocks_.back().reserve(block_bytes);  // a short text needs only a small first block
  }

  std::vector<std::string> blocks_;  // the blocks; none of them is empty
  std::size_t first_ = 0;            // number of bytes removed from the front of the first block
  std::size_t size_ = 0;
};

}  // namespace photofinish::proxy
