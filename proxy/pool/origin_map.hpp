// The origins of a pool. Their connections are adjusted to the demand in a later turn of the event loop, and cleaned up
// once a second. An origin is removed when nothing needs it. An origin_map belongs to one worker's thread. To end it,
// call stop(), co_await drained(), then destroy it.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/loop/wakeup.hpp"
#include "proxy/net/network.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

template <class Key, class Origin>
class origin_map {
 public:
  // `what` is the name of the work in bug reports, and must be valid as long as the program runs.
  origin_map(network& net, std::string_view what)
      : net_(net), what_(what), sweep_(net.clock, [this] { sweep(); }), drained_(net.loop) {}

  const std::map<Key, std::unique_ptr<Origin>>& all() const { return all_; }
  // Returns the stored pointer to the origin with this key. The pointer is null if the origin is new.
  std::unique_ptr<Origin>& operator[](Key key) { return all_[std::move(key)]; }

  // Calls balance() in a later turn of the event loop, so that the caller does not wait for it.
  void balance_soon() noexcept {
    if (std::exchange(is_balance_posted_, true)) return;
    boost::asio::post(net_.loop, [this] {
      is_balance_posted_ = false;
      balance();
    });
  }

  void stop() noexcept {
    if (std::exchange(is_stopped_, true)) return;
    sweep_.disarm();
    for (auto& [key, origin] : all_) origin->stop();
  }
  bool is_stopped() const { return is_stopped_; }

  boost::asio::awaitable<void> drained() {
    while (!is_drained()) co_await drained_.wait();
  }
  bool is_drained() const {
    return !is_balance_posted_ &&
           std::none_of(all_.begin(), all_.end(), [](const auto& each) { return each.second->has_children(); });
  }

 private:
  void balance() {
    const instant now = net_.clock.now();
    try {
      if (!all_.empty() && !is_stopped_ && !sweep_.is_armed()) sweep_.arm(now + std::chrono::seconds(1));
      for (auto& [key, origin] : all_) origin->balance(now);
    } catch (...) {  // it suffices to report the exception, because the next sweep() opens the missing connections
      report_bug(what_, std::current_exception());
    }
    if (is_drained()) drained_.wake();
  }

  void sweep() {
    const instant now = net_.clock.now();
    for (auto& [key, origin] : all_) origin->sweep(now);
    std::erase_if(all_, [&](const auto& each) { return each.second->is_forgettable(now); });
    balance();
  }

  network& net_;
  std::string_view what_;
  std::map<Key, std::unique_ptr<Origin>> all_;
  alarm sweep_;
  wakeup drained_;
  bool is_balance_posted_ = false;
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
