// The thread that counts the tokens of long texts. Counting eight megabytes takes most of a second, and no scrape
// should wait so long. The bytes of all waiting texts are bounded.
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

// A text whose tokens another thread counts. The sum of waiting bytes includes the text until its tokens are counted or
// the text is dropped.
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

  // Runs on the counting thread. If there is not enough memory, it estimates the tokens.
  void count() {
    try {
      tokens_ = proxy::count_tokens(text_, proxy::token_counter::max_tail);
    } catch (...) {
      proxy::report_bug("the token count of a text", std::current_exception());
      tokens_ = text_.size() / bytes_per_token;
    }
    leave();
  }
  std::uint64_t tokens() const { return tokens_; }  // number of tokens; valid after count() has run

 private:
  static constexpr std::size_t bytes_per_token = 4;

  void leave() { waiting_.fetch_sub(std::exchange(bytes_, 0), std::memory_order_relaxed); }

  std::atomic<std::size_t>& waiting_;
  const std::string text_;
  std::size_t bytes_;  // size of the text, included in the sum of waiting bytes
  const std::size_t all_;
  std::uint64_t tokens_ = 0;
};

class text_counting {
 public:
  static constexpr std::size_t most_waiting = 8u << 20;  // limit for the bytes of all waiting texts

  // The counting thread calls `before_each` before each text.
  explicit text_counting(std::function<void()> before_each) : work_(std::move(before_each)) {}

  // Any thread may call this. Counts the o200k_base tokens of the text, then calls `counted` on `reply_to`. The event
  // loop of `reply_to` keeps running until then. Returns false if the limit of waiting bytes is reached.
  bool count(std::string text, boost::asio::any_io_executor reply_to, std::function<void(std::uint64_t)> counted) {
    // The calling thread and the counting thread share this object.
    auto counting = std::make_shared<counted_text>(waiting_bytes_, std::move(text));
    if (!counting->has_room(most_waiting)) return false;
    work_.run([counting] { counting->count(); }, std::move(reply_to),
              [counted = std::move(counted), counting] { counted(counting->tokens()); });
    return true;
  }

  long_work& work() { return work_; }  // lets other long work run on the counting thread

 private:
  std::atomic<std::size_t> waiting_bytes_ = 0;
  long_work work_;
};

}  // namespace photofinish::gateway
