// A simulated clock. It jumps from the time of one planned action to the time of the next action.
#pragma once

#include "tests/simulation/adaptive/simulation.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace photofinish::racing {

class virtual_clock {
 public:
  using action = std::function<void(instant)>;

  // Plans an action. If several actions have the same time, they run in the order in which they were planned.
  void at(instant when, action what) { planned_.push({when, order_++, std::move(what)}); }
  void after(instant now, double seconds, action what) {
    at(now + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)), std::move(what));
  }

  void run_until(instant end) {
    while (!planned_.empty() && planned_.top().when < end) {
      planned_action next = planned_.top();
      planned_.pop();
      next.what(next.when);
    }
  }

 private:
  struct planned_action {
    instant when;
    std::uint64_t order;
    action what;
    bool operator>(const planned_action& other) const {
      return std::pair(when, order) > std::pair(other.when, other.order);
    }
  };

  std::priority_queue<planned_action, std::vector<planned_action>, std::greater<>> planned_;
  std::uint64_t order_ = 0;
};

}  // namespace photofinish::racing
