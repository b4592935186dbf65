// Passes values from the workers to one keeper. There is one ring for each worker, and one wake for all rings. The
// keeper takes the values with each tick, and earlier if a ring fills.
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
  // After a wake, the loop calls `open`, which calls take().
  mailbox(boost::asio::io_context& loop, std::size_t workers, std::function<void()> open)
      : loop_(loop), open_(std::move(open)) {
    for (std::size_t index = 0; index < workers; ++index)
      rings_.push_back(std::make_unique<ring<T, capacity>>());
  }

  // Call this on the thread of the given worker. Returns false if the ring is full; the caller then keeps the value.
  template <class V>
  bool put(std::size_t worker, V&& value) {
    ring<T, capacity>& own = *rings_[worker];
    const bool has_room = own.push(std::forward<V>(value));
    if (own.size() >= urgent_fill) wake();
    return has_room;
  }

  // Any thread may call this. At most one wake waits in the loop's queue.
  void wake() {
    if (is_woken_.exchange(true, std::memory_order_acq_rel)) return;
    boost::asio::post(loop_, [this] {
      // An exchange is needed here, not a store. A worker could see a plain store only after take(), and then rely on a
      // wake that has already run.
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
