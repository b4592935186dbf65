// Lets one coroutine wait until other code on the same thread resumes it directly. This takes 166 ns, whereas
// cancelling a timer takes 858 ns. A wake-up without a waiter is lost, so wait in a loop that checks the condition.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <cassert>
#include <optional>
#include <utility>

namespace photofinish::proxy {

class signal {
 public:
  signal() = default;
  signal(const signal&) = delete;
  signal& operator=(const signal&) = delete;

  // Returns an awaiter. The signal must be woken before it is destroyed, and it can have one waiter at a time. This
  // function is not a coroutine and allocates no frame, so it cannot fail. The owner of coroutines can therefore always
  // wait until they have ended.
  auto wait() {
    assert(!waiter_);
    auto store = [this](auto handler) { waiter_.emplace(std::move(handler)); };
    return boost::asio::async_initiate<const boost::asio::deferred_t, void()>(std::move(store), boost::asio::deferred);
  }

  bool has_waiter() const { return waiter_.has_value(); }

  // Resumes the waiter before wake() returns. The waiter may destroy this signal.
  void wake() {
    if (!waiter_) return;
    auto waiter = std::move(*waiter_);
    waiter_.reset();
    std::move(waiter)();
  }

 private:
  std::optional<boost::asio::any_completion_handler<void()>> waiter_;
};

}  // namespace photofinish::proxy
