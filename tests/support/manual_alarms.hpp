// Alarms that a test runs by hand. Time advances only if the test advances it.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <chrono>

namespace photofinish::tests {

class manual_alarms final : public proxy::alarms {
 public:
  proxy::instant now() const override { return now_; }

  void advance(std::chrono::nanoseconds by) { advance_to(now_ + by); }

  // Advances the time to `when`. Runs each alarm that is due by then, at its own time.
  void advance_to(proxy::instant when) {
    while (!empty() && earliest() <= when) {
      now_ = std::max(now_, earliest());
      while (strike_next(now_)) {}
    }
    now_ = when;
  }

  bool has_alarm() const { return !empty(); }
  proxy::instant next_alarm() const { return earliest(); }

 private:
  void earliest_changed() override {}

  proxy::instant now_{std::chrono::hours(1)};
};

}  // namespace photofinish::tests
