// The thread that counts the tokens of long texts. Eight megabytes take most of a second, and no scrape should wait so
// long. The bytes of all waiting texts are bounded.
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

// A text whose tokens another thread counts. Its bytes are included in the sum of waiting bytes until they are counted
// or the text is dropped.
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

  // Runs on the counting thread. Without enough memory the tokens are estimated.
  void count() {
    try {
      tokens_ = proxy::count_tokens(text_, proxy::token_counter::max_tail);
    } catch (...) {
      proxy::report_bug("the token count of a text", std::current_exception());
      tokens_ = text_.size() / bytes_per_token;
    }
    leave();
  }
  std::uint64_t tokens() const { return tokens_; }  // valid after count()

 private:
  static constexpr std::size_t bytes_per_token = 4;

  void leave() { waiting_.fetch_sub(std::exchange(bytes_, 0), std::memory_order_relaxed); }

  std::atomic<std::size_t>& waiting_;
  const std::string text_;
  std::size_t bytes_;  // included in the sum of waiting bytes
  const std::size_t all_;
  std::uint64_t tokens_ = 0;
};

class text_counting {
 public:
  static constexpr std::size_t most_waiting = 8u << 20;  // bytes that may wait, over all workers

  // `before_each` is called on the thread before each text.
  explicit text_counting(std::function<void()> before_each) : work_(std::move(before_each)) {}

  // Any thread may call this. Counts o200k_base tokens, then calls `counted` on `reply_to`, and keeps its loop running
  // until then. Returns false if the limit of waiting bytes is reached.
  bool count(std::string text, boost::asio::any_io_executor reply_to, std::function<void(std::uint64_t)> counted) {
    auto counting = std::make_shared<counted_text>(waiting_bytes_, std::move(text));  // shared by both threads
    if (!counting->has_room(most_waiting)) return false;
    work_.run([counting] { counting->count(); }, std::move(reply_to),
              [counted = std::move(counted), counting] { counted(counting->tokens()); });
    return true;
  }

  long_work& work() { return work_; }  // gives the thread other long work

 private:
  std::atomic<std::size_t> waiting_bytes_ = 0;
  long_work work_;
};

}  // namespace photofinish::gateway
