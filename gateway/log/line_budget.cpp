#include "gateway/log/line_budget.hpp"

#include <chrono>
#include <utility>

namespace photofinish::gateway {

line_budget::line_budget(proxy::alarms& alarms, std::function<void(std::size_t)> left_out, std::size_t lines_per_second)
    : alarms_(alarms),
      left_out_(std::move(left_out)),
      most_(lines_per_second),
      over_(alarms, [this] { second_over(); }) {}

bool line_budget::take() {
  const proxy::instant now = alarms_.now();
  if (now >= second_ends_) {
    if (over_.is_armed()) second_over();  // the alarm for the end of this second is due, but has not fired yet
    second_ends_ = now + std::chrono::seconds(1);
    taken_ = 0;
  }
  if (taken_ < most_) return ++taken_, true;
  if (++refused_ == 1) over_.arm(second_ends_);
  return false;
}

void line_budget::second_over() {
  over_.disarm();
  if (const std::size_t count = std::exchange(refused_, 0)) left_out_(count);
}

}  // namespace photofinish::gateway
