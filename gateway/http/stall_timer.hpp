// Limits how long a write waits for its client, and measures the total waiting time of all writes.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace photofinish::gateway {

class stall_timer {
 public:
  stall_timer(proxy::alarms& alarms, std::function<void()> on_stall) : alarm_(alarms, std::move(on_stall)) {}

  // Sets the maximum time that a write may wait for the client to read another byte.
  void set_timeout(std::chrono::milliseconds limit) { timeout_ = limit; }
  void set_end(proxy::instant when) { end_ = when; }  // sets the time after which no write may wait

  void begin_wait(proxy::instant now) { alarm_.arm(std::min(now + timeout_, end_)); }
  void end_write(std::chrono::nanoseconds waited) {
    alarm_.disarm();
    stalled_ += waited;
  }
  std::chrono::nanoseconds time_stalled() const { return stalled_; }

 private:
  std::chrono::milliseconds timeout_{60'000};
  proxy::instant end_ = proxy::instant::max();
  std::chrono::nanoseconds stalled_{0};
  proxy::alarm alarm_;
};

}  // namespace photofinish::gateway
