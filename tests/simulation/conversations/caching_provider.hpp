// The true properties of a simulated provider with a prompt cache: its speed, prices and limits.
#pragma once

#include "tests/simulation/adaptive/scenario.hpp"
#include "tests/simulation/conversations/prompt_cache.hpp"

#include <cstddef>
#include <cstdint>

namespace photofinish::racing {

inline constexpr double seconds_per_token = 0.01;  // time that a provider needs to generate one token, in seconds

enum class cache_report { early, late, never };  // when the provider reports the number of cached tokens: together with the first token, at
                                                 // the end of the answer, or never

struct caching_provider {
  // The provider's properties for an empty prompt: time to the first token, spread, stalls, slow periods and vendor.
  true_target speed;
  double per_uncached = 0.035e-3, per_cached = 0.002e-3;  // time to read one token of the prompt, in seconds
  double input = 3e-6, read = 0.3e-6, write = 3.75e-6, output = 15e-6;  // prices in dollars per token
  cache_rules cache;
  cache_report reported = cache_report::early;
  double uncached_per_minute = 0;  // rate limit in uncached tokens per minute; 0 if there is none

  double seconds(double cached, double uncached) const {
    return speed.median + per_uncached * uncached + per_cached * cached;
  }
  double input_cost(double cached, double uncached) const {
    const bool is_kept = cached + uncached >= cache.minimum;
    return read * cached + (is_kept ? write : input) * uncached;
  }
};

// The values that determine an attempt's random numbers. `attempt` is the attempt's number among the attempts of one turn at the same
// provider.
struct attempt_luck {
  std::uint64_t seed = 0, conversation = 0, turn = 0;
  std::size_t target = 0, attempt = 0;
};

// Decides at random whether the attempt reaches a replica that has cached the prompt.
bool is_found(const caching_provider& provider, const attempt_luck& luck);
true_outcome draw_first_token(const caching_provider& provider, const attempt_luck& luck, double now, double cached,
                              double uncached);

// Returns the true distribution of a target's times to the first token, which only the oracle knows. For each deviation from the expected
// time, the distribution contains the share of first tokens that take longer.
survival_curve true_shape(const true_target& speed);

}  // namespace photofinish::racing
