#include "proxy/loop/timer_alarms.hpp"

namespace photofinish::proxy {

void timer_alarms::stop() {
  is_stopped_ = true;
  timer_.cancel();
}

void timer_alarms::earliest_changed() {
  if (is_stopped_ || is_ringing_) return;  // ring() sets the timer once, when all have struck
  if (!is_set_ || earliest() < timer_.expiry()) set(earliest());
}

void timer_alarms::set(instant when) {
  is_set_ = true;
  timer_.expires_at(when);
  ++handlers_;
  timer_.async_wait([this, round = ++round_](const boost::system::error_code&) {
    --handlers_;
    if (round == round_ && !is_stopped_) ring();
  });
}

void timer_alarms::ring() {
  is_set_ = false;
  is_ringing_ = true;
  for (const instant until = now(); !is_stopped_ && strike_next(until);) {}
  is_ringing_ = false;
  if (!empty() && !is_stopped_) set(earliest());
}

}  // namespace photofinish::proxy
