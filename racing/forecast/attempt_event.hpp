// The input of the forecast: one step of one attempt, as plain values. [pure]
// Each step carries all facts that are needed to learn from it, so a lost step spoils no other.
#pragma once

#include "racing/forecast/prefix_match.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using caller_id = std::uint64_t;

// Numbers that the forecaster assigns to names for the life of the process.
using target_number = std::uint32_t;
using route_number = std::uint32_t;

enum class attempt_step {
  began,     // the attempt was started and is silent
  spoke,     // its first token arrived
  cut,       // cancelled or timed out without a token: only `at - started_at` is known
  failed,    // a failure by the target, without a token
  dropped,   // ended without information about its target: the request's own failure, or our refusal
  answered,  // its answer ended, some time after `spoke`
  usage,     // its provider reported `cached_tokens`, after `spoke`
};

struct attempt_event {
  attempt_step step = attempt_step::began;
  std::uint64_t attempt = 0;  // unique per attempt, the same in all its steps
  target_number target = 0;
  route_number route = 0;
  caller_id caller = 0;
  // The key that failures count for: 0 is the configured key, otherwise a caller's own fingerprint.
  std::uint64_t key = 0;
  instant started_at{};
  instant at{};                // time of the step
  double input_tokens = 0;     // tokens to read: without cached tokens if they are reported before the first token
  double in_flight = 1;        // our attempts there when it started, including itself
  double output_tokens = 0;    // set for answered
  double decode_seconds = 0;   // answered: from the first token to the last; 0 if unknown
  std::optional<std::uint64_t> max_tokens;  // answered: the request's limit
  // Set for requests that follow prompt caches: `input_tokens` is then the whole prompt.
  prefix_match match;                   // the planned match, with its hit chance
  std::optional<double> cached_tokens;  // spoke: set if the provider has already reported them; usage: always set
  bool is_usage_expected = false;       // spoke: a step `usage` follows
  // Before this step, another attempt of the race started (began) or spoke (spoke, cut) at the same target.
  bool is_twin = false;
};

// Never negative and never more than a day, even if the clocks are wrong.
inline double seconds_between(instant from, instant to) {
  constexpr double longest = 86'400;
  const double seconds = std::chrono::duration<double>(to - from).count();
  return seconds < 0 ? 0 : seconds < longest ? seconds : longest;
}

}  // namespace photofinish::racing
