// Lets one coroutine wait for the next of several events: a child's end, an alarm, or a cancellation. A wake-up never
// resumes the coroutine directly, but in a later turn of the event loop. Therefore any code may cancel.
#pragma once

#include "proxy/loop/signal.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace photofinish::proxy {

class wakeup {
 public:
  explicit wakeup(boost::asio::io_context& loop) : loop_(loop) {}

  // Waits for a wake-up and consumes it. A wake-up before the wait is stored, and several stored wake-ups count as one.
  boost::asio::awaitable<void> wait() {
    while (!is_set_) co_await waiter_.wait();
    is_set_ = false;
  }

  // The two steps of wait(), for callers that must not fail for lack of memory. Call take(). If it returns false, await
  // next() and repeat.
  bool take() { return std::exchange(is_set_, false); }
  auto next() { return waiter_.wait(); }

  void wake() noexcept {
    is_set_ = true;
    if (is_posted_ || !waiter_.has_waiter()) return;
    is_posted_ = true;
    // Only the following handler resumes the waiter. When the waiter runs again, no handler is queued any more, so the
    // waiter may destroy the wakeup.
    boost::asio::post(loop_, [this] {
      is_posted_ = false;
      waiter_.wake();
    });
  }

 private:
  boost::asio::io_context& loop_;
  signal waiter_;
  bool is_set_ = false;
  bool is_posted_ = false;
};

}  // namespace photofinish::proxy
