// Who has to cool down, and for how long: the rules behind the scoreboard. [pure]
// A 429 or an exhausted quota cools at once; other failures of the provider's making only when they repeat.
#pragma once

#include "proxy/failure.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <unordered_map>

namespace photofinish::racing {

// One finished attempt, as far as cooling cares.
struct attempt_sample {
  runner_id runner;
  std::optional<proxy::failure_kind> failed;  // none: it worked
  std::optional<std::chrono::milliseconds> retry_after;
};

class cooldowns {
 public:
  static constexpr std::chrono::seconds rate_limited_default{5};   // a 429 without retry-after
  static constexpr std::chrono::seconds quota_default{60};
  static constexpr std::chrono::minutes longest{10};
  static constexpr std::size_t repeated = 3;                       // failures in a row
  static constexpr std::chrono::seconds repeated_default{5};       // doubled with each further failure
  static constexpr std::size_t max_runners = 10'000;               // callers' own keys may be many

  // True when the scoreboard changed.
  bool note(const attempt_sample& sample, instant now);

  scoreboard snapshot(instant now) const;

 private:
  struct record { std::size_t failures_in_a_row = 0; instant cools_until; };

  static bool counts_when_repeated(proxy::failure_kind kind);
  bool cool(record& each, std::chrono::milliseconds length, instant now);
  void forget_stale(instant now);

  std::unordered_map<runner_id, record> records_;
};

}  // namespace photofinish::racing
