// A rate of events per second, in which older events count less. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <chrono>
#include <cmath>

namespace photofinish::proxy {

class recent_rate {
 public:
  static constexpr std::chrono::duration<double> memory{10.0};  // the time constant of the weights

  void count(instant now) {
    value_ = per_second(now) + 1 / memory.count();
    at_ = now;
  }
  double per_second(instant now) const {
    return value_ == 0 ? 0 : value_ * std::exp(-std::chrono::duration<double>(now - at_) / memory);
  }
  // Returns the number of recent events. Events that have just happened count fully.
  double lately(instant now) const { return per_second(now) * memory.count(); }

 private:
  double value_ = 0;
  instant at_{};
};

}  // namespace photofinish::proxy
