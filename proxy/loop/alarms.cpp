#include "proxy/loop/alarms.hpp"

#include <utility>

namespace photofinish::proxy {

bool alarms::strike_next(instant now) {
  if (due_.empty() || due_.begin()->first > now) return false;
  alarm* due = due_.begin()->second;
  due->disarm();
  const std::function<void()> strike = due->strike_;  // a copy, because the function may destroy the alarm
  strike();
  return true;
}

alarm::alarm(alarms& clock, std::function<void()> strike) : clock_(clock), strike_(std::move(strike)) {}

void alarm::arm(instant when) {
  disarm();
  if (spare_.empty()) {
    position_ = clock_.due_.emplace(when, this);
  } else {
    spare_.key() = when;
    position_ = clock_.due_.insert(std::move(spare_));
  }
  is_armed_ = true;
  if (position_ == clock_.due_.begin()) clock_.earliest_changed();
}

void alarm::disarm() noexcept {
  if (!is_armed_) return;
  is_armed_ = false;
  spare_ = clock_.due_.extract(position_);
}

}  // namespace photofinish::proxy
