// The limits of a key, a team or a route, as plain data. [pure]
#pragma once

#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

class budget_zone;

enum class budget_unit : std::uint8_t { length, day, week, month };

// The period of a budget. Days, weeks and months follow the calendar of `zone`; null means UTC. `length` is the length
// of a period that is shorter than a day; otherwise it is 0.
struct budget_period {
  budget_unit unit = budget_unit::month;
  std::chrono::seconds length{0};
  const budget_zone* zone = nullptr;

  bool operator==(const budget_period&) const = default;
};

// Decides whether a target may be used if no price is known for its model and tier. The values are sorted from the
// loosest to the strictest.
enum class unpriced_use : std::uint8_t { allow, refuse };

// Limits of a key, a team or a route. A value of 0 means that there is no limit.
struct limit_settings {
  std::uint64_t requests_per_minute = 0;
  std::uint64_t tokens_per_minute = 0;
  std::uint64_t parallel_requests = 0;
  std::int64_t budget_nano_usd = 0;  // an integer, so that sums are exact; 2^63 nano-dollars are nine billion dollars
  budget_period every = {};
  std::int64_t soft_budget_nano_usd = 0;  // the amount at which the gateway sends an alert
  unpriced_use unpriced = unpriced_use::allow;

  bool operator==(const limit_settings&) const = default;
  bool is_limited() const {
    return requests_per_minute > 0 || tokens_per_minute > 0 || parallel_requests > 0 || budget_nano_usd > 0 ||
           soft_budget_nano_usd > 0;
  }
};

}  // namespace photofinish::gateway
