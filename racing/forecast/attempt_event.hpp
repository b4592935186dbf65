// The input of the forecast: one step of one attempt, as plain values. [pure] Each step has all facts that are needed
// to learn from it, so a lost step does not affect what is learned from other steps.
#pragma once

#include "racing/forecast/prefix_match.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using caller_id = std::uint64_t;

// The numbers that the forecaster assigns to the names of targets and routes. They stay the same until the process
// ends.
using target_number = std::uint32_t;
using route_number = std::uint32_t;

enum class attempt_step {
  began,     // the attempt was started and has no token yet
  spoke,     // the attempt's first token arrived
  // The attempt was cancelled or timed out without a token: the time to its first token is above `at - started_at`.
  cut,
  failed,    // the target failed without sending a token
  dropped,   // the attempt ended without information about its target: the request failed, or the gateway rejected it
  answered,  // the answer of the attempt ended, some time after the step `spoke`
  usage,     // the provider reported `cached_tokens` after the step `spoke`
};

struct attempt_event {
  attempt_step step = attempt_step::began;
  std::uint64_t attempt = 0;  // number of the attempt, the same in all its steps
  target_number target = 0;
  route_number route = 0;
  caller_id caller = 0;
  // The key whose failures are counted together: 0 for the configured key, otherwise the fingerprint of a caller's own
  // key.
  std::uint64_t key = 0;
  instant started_at{};
  instant at{};                // time at which the step happened
  // The number of tokens in the prompt that the target reads. Cached tokens are left out if their number is known
  // before the first token.
  double input_tokens = 0;
  double in_flight = 1;        // attempts of this gateway at the target when this attempt started, including itself
  double output_tokens = 0;    // number of tokens in the answer; set for the step `answered`
  double decode_seconds = 0;   // for the step `answered`: seconds from the first to the last token; 0 if unknown
  std::optional<std::uint64_t> max_tokens;  // set for the step `answered`: the request's limit
  // The matching cached prefix, set for requests that follow prompt caches. In these steps `input_tokens` counts the
  // whole prompt.
  prefix_match match;                   // the cached prefix that the plan used, with its hit probability
  // The number of cached tokens. In the step `spoke` it is set if the provider has already reported it; in the step
  // `usage` it is always set.
  std::optional<double> cached_tokens;
  bool is_usage_expected = false;       // for the step `spoke`: true if a step `usage` follows
  // True if another attempt of the race at the same target started before the step `began` of this attempt, or had its
  // first token before the step `spoke` or `cut` of this attempt.
  bool is_twin = false;
};

// Returns the seconds between two times: at least 0 and at most a day, even if the clocks are wrong.
inline double seconds_between(instant from, instant to) {
  constexpr double longest = 86'400;
  const double seconds = std::chrono::duration<double>(to - from).count();
  return seconds < 0 ? 0 : seconds < longest ? seconds : longest;
}

}  // namespace photofinish::racing
