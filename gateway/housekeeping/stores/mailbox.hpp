// Passes values from the workers to the housekeeper's thread. Each worker has its own queue, a ring of fixed size. The
// housekeeper takes the values from the queues in each tick, or earlier if a queue is nearly full.
#pragma once

#include "gateway/threads/ring.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish::gateway {

template <class T, std::size_t capacity, std::size_t urgent_fill>
class mailbox {
 public:
  // After wake(), the event loop calls `open`, which must call take().
  mailbox(boost::asio::io_context& loop, std::size_t workers, std::function<void()> open)
      : loop_(loop), open_(std::move(open)) {
    for (std::size_t index = 0; index < workers; ++index)
      rings_.push_back(std::make_unique<ring<T, capacity>>());
  }

  // Call this on the thread of the given worker. Returns false if the worker's queue is full; in this case the caller
  // keeps the value.
  template <class V>
  bool put(std::size_t worker, V&& value) {
    ring<T, capacity>& own = *rings_[worker];
    const bool has_room = own.push(std::forward<V>(value));
    if (own.size() >= urgent_fill) wake();
    return has_room;
  }

  // Any thread may call this. Schedules a call of `open` on the loop, unless such a call is already scheduled.
  void wake() {
    if (is_woken_.exchange(true, std::memory_order_acq_rel)) return;
    boost::asio::post(loop_, [this] {
      // This must be an atomic exchange. A worker might see the result of a plain atomic store only after take(). The
      // worker would then rely on a call of `open` that has already happened.
      is_woken_.exchange(false, std::memory_order_acq_rel);
      open_();
    });
  }

  // Call this on the loop's thread.
  template <class F>
  void take(F receive) {
    for (auto& each : rings_)
      while (auto value = each->pop()) receive(*std::move(value));
  }

 private:
  boost::asio::io_context& loop_;
  const std::function<void()> open_;
  std::vector<std::unique_ptr<ring<T, capacity>>> rings_;
  std::atomic<bool> is_woken_ = false;
};

}  // namespace photofinish::gateway
