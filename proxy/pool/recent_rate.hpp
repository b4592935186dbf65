// The rate of recent events per second. Older events count less. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <chrono>
#include <cmath>

namespace photofinish::proxy {

class recent_rate {
 public:
  static constexpr std::chrono::duration<double> memory{10.0};  // time constant of the decay of an event's weight

  void count(instant now) {
    value_ = per_second(now) + 1 / memory.count();
    at_ = now;
  }
  double per_second(instant now) const {
    return value_ == 0 ? 0 : value_ * std::exp(-std::chrono::duration<double>(now - at_) / memory);
  }
  // Returns the number of recent events, with less weight for older events. An event counts fully at the moment when it
  // occurs.
  double lately(instant now) const { return per_second(now) * memory.count(); }

 private:
  double value_ = 0;
  instant at_{};
};

}  // namespace photofinish::proxy
