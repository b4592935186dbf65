// Counts the tokens of long texts on a separate thread. Counting eight megabytes of text takes most of a second, which
// would delay a scrape on the housekeeper's thread. The total size of waiting texts is limited.
#pragma once

#include "gateway/threads/long_work.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/token_counter.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

// A text whose tokens another thread counts. The total size of all waiting texts includes this text until its tokens
// are counted or the text is dropped.
class counted_text {
 public:
  counted_text(std::atomic<std::size_t>& waiting, std::string text)
      : waiting_(waiting),
        text_(std::move(text)),
        bytes_(text_.size()),
        all_(waiting.fetch_add(bytes_, std::memory_order_relaxed) + bytes_) {}
  ~counted_text() { leave(); }
  counted_text(const counted_text&) = delete;
  counted_text& operator=(const counted_text&) = delete;

  bool has_room(std::size_t most) const { return all_ <= most; }

  // Runs on the counting thread. If there is not enough memory, estimates the number of tokens.
  void count() {
    try {
      tokens_ = proxy::count_tokens(text_, proxy::token_counter::max_tail);
    } catch (...) {
      proxy::report_bug("the token count of a text", std::current_exception());
      tokens_ = text_.size() / bytes_per_token;
    }
    leave();
  }
  std::uint64_t tokens() const { return tokens_; }  // the number of tokens; valid after count() has run

 private:
  static constexpr std::size_t bytes_per_token = 4;

  void leave() { waiting_.fetch_sub(std::exchange(bytes_, 0), std::memory_order_relaxed); }

  std::atomic<std::size_t>& waiting_;
  const std::string text_;
  std::size_t bytes_;  // the size of this text, which is a part of the total size of all waiting texts
  const std::size_t all_;
  std::uint64_t tokens_ = 0;
};

class text_counting {
 public:
  static constexpr std::size_t most_waiting = 8u << 20;  // the maximum total size of all waiting texts

  // The counting thread calls `before_each` before it counts a text.
  explicit text_counting(std::function<void()> before_each) : work_(std::move(before_each)) {}

  // Any thread may call this. Counts the o200k_base tokens of the text, then calls `counted` on the event loop
  // `reply_to`, which must keep running until then. Returns false if the waiting texts are already too large.
  bool count(std::string text, boost::asio::any_io_executor reply_to, std::function<void(std::uint64_t)> counted) {
    // The pointer is shared, because the calling thread and the counting thread both use the object.
    auto counting = std::make_shared<counted_text>(waiting_bytes_, std::move(text));
    if (!counting->has_room(most_waiting)) return false;
    work_.run([counting] { counting->count(); }, std::move(reply_to),
              [counted = std::move(counted), counting] { counted(counting->tokens()); });
    return true;
  }

  // Returns the object that runs other long tasks on the thread that counts tokens.
  long_work& work() { return work_; }

 private:
  std::atomic<std::size_t> waiting_bytes_ = 0;
  long_work work_;
};

}  // namespace photofinish::gateway
