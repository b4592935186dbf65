// Collects an answer's bytes until they are sent. It keeps views of the original text, or copies in a batch. A long
// text that is available as a whole is moved, not copied. [pure]
#pragma once

#include "proxy/memory/long_text.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class outgoing {
 public:
  // `batch` is a buffer that belongs to the worker. Other coroutines also use it, so its contents are lost when this
  // coroutine is suspended.
  explicit outgoing(std::string& batch) : batch_(batch) {}

  // Prepares this object for an event that is sent alone, not in a batch. Such an event is sent without a copy, while
  // the events of a batch are copied.
  void begin_lone() { clear(), is_lone_ = true; }
  void begin_batch() { clear(), is_lone_ = false; }

  // Adds bytes. If the event is sent alone, the bytes must live until they are sent.
  void put(std::string_view bytes) {
    size_ += bytes.size();
    if (!long_.empty()) long_.append(bytes);
    else if (is_lone_) pieces_.push_back(bytes);
    else if (batch_.size() + bytes.size() <= proxy::long_text::block_bytes) batch_ += bytes;
    else take_together(), long_.append(bytes);
  }
  void put(const char* text) { put(std::string_view(text)); }
  void put(std::string&& text) {
    if (text.size() < least_moved) return put(std::string_view(text));
    put(proxy::long_text(std::move(text)));
  }

  // Adds the text `before`, each text in `between`, and the text `behind`.
  void put(std::string_view before, std::span<const std::string_view> between, std::string_view behind) {
    if (is_lone_ || !long_.empty()) {
      put(before);
      for (const std::string_view each : between) put(each);
      return put(behind);
    }
    const std::size_t begun = batch_.size();
    batch_ += before;
    for (const std::string_view each : between) batch_ += each;
    batch_ += behind;
    size_ += batch_.size() - begun;
  }

  // Adds a long text and takes ownership of the text.
  void put(proxy::long_text&& text) {
    if (!is_lone_ && text.size() < least_moved) {
      std::array<std::string_view, 2> pieces;  // a short text is in at most two blocks of memory
      for (const std::string_view piece : std::span(pieces).first(text.front(pieces))) put(piece);
      return;
    }
    size_ += text.size();
    if (long_.empty()) take_together();
    long_.append(std::move(text));
  }

  std::size_t size() const { return size_; }  // the number of bytes that wait to be sent
  // The bytes that wait to be sent are either in views, in a batch, or in a long text.
  std::span<const std::string_view> pieces() const { return pieces_; }
  std::string& batch() { return batch_; }
  proxy::long_text& long_text() { return long_; }

  // Returns all bytes that wait to be sent, as one long text.
  proxy::long_text take() {
    if (long_.empty()) take_together();
    size_ = 0;
    return std::exchange(long_, {});
  }

 private:
  // Texts that are shorter than this number of bytes are copied into the batch.
  static constexpr std::size_t least_moved = proxy::long_text::block_bytes / 2;

  void clear() {
    pieces_.clear();
    batch_.clear();
    long_ = {};
    size_ = 0;
  }
  void take_together() {
    for (const std::string_view piece : pieces_) long_.append(piece);
    pieces_.clear();
    long_.append(std::exchange(batch_, {}));
  }

  bool is_lone_ = false;
  boost::container::small_vector<std::string_view, 4> pieces_;
  std::string& batch_;
  proxy::long_text long_;
  std::size_t size_ = 0;
};

}  // namespace photofinish::gateway
