// Opens connections to the providers when egress_watch requests this, and logs the results. Runs on the housekeeper's
// thread.
#pragma once

#include "gateway/housekeeping/egress/egress_places.hpp"
#include "gateway/housekeeping/egress/egress_watch.hpp"
#include "gateway/store/store_network.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/net/dial.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

class egress_keeping {
 public:
  egress_keeping(boost::asio::io_context& loop, std::string gateway, std::chrono::milliseconds tick)
      : loop_(loop), watch_(std::move(gateway), tick) {}

  void adopt(const config& settings);
  void tick();

  // The caller must exchange the messages of this object with other gateways through the store.
  egress_watch& watch() { return watch_; }

  egress_state state() const { return state_.load(std::memory_order_relaxed); }  // any thread may call state()

  // After stop(), this object opens no more connections. Call stop() before destroying the object.
  boost::asio::awaitable<void> stop();

 private:
  void begin_check();
  boost::asio::awaitable<void> reach(std::size_t index);
  void one_ended();
  void show();

  boost::asio::io_context& loop_;
  egress_watch watch_;
  std::vector<egress_place> places_;
  std::unique_ptr<store_network> network_;  // the network connections for checks; null before the first check
  std::vector<std::unique_ptr<proxy::dial>> dials_;  // the connections that the current check is trying to open
  std::size_t running_ = 0;
  bool is_reached_ = false, is_stopping_ = false;
  std::string last_failure_;
  proxy::signal ended_;
  std::optional<std::chrono::steady_clock::time_point> shown_lost_since_;
  std::atomic<egress_state> state_ = egress_state::works;
};

}  // namespace photofinish::gateway
