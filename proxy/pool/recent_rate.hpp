// Events per second, the older the less they count. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <chrono>

namespace photofinish::proxy {

class recent_rate {
 public:
  static constexpr std::chrono::duration<double> memory{10.0};  // the time constant

  void count(instant now);
  double per_second(instant now) const;
  double lately(instant now) const { return per_second(now) * memory.count(); }  // events, those just come whole

 private:
  double value_ = 0;
  instant at_{};
};

}  // namespace photofinish::proxy
