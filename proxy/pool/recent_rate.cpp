#include "proxy/pool/recent_rate.hpp"

#include <cmath>

namespace photofinish::proxy {

void recent_rate::count(instant now) {
  value_ = per_second(now) + 1 / memory.count();
  at_ = now;
}

double recent_rate::per_second(instant now) const {
  if (value_ == 0) return 0;
  return value_ * std::exp(-std::chrono::duration<double>(now - at_) / memory);
}

}  // namespace photofinish::proxy
