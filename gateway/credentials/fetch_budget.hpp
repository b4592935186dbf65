// Limits the fetches that strangers can cause: a few in a row, then one in each pause. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <algorithm>
#include <chrono>

namespace photofinish::gateway {

class fetch_budget {
 public:
  // `burst` is at least 1.
  fetch_budget(int burst, std::chrono::seconds pause) : slack_(pause * (burst - 1)), pause_(pause) {}

  // The earliest time at which another fetch may begin.
  proxy::instant next() const { return spent_until_ - slack_; }

  void spend(proxy::instant when) { spent_until_ = std::max(spent_until_, when) + pause_; }

 private:
  std::chrono::seconds slack_, pause_;
  proxy::instant spent_until_{};  // the budget is full again from this time on
};

}  // namespace photofinish::gateway
