// The input of the forecast: one step of one attempt, as plain values. [pure] Each step has all facts that are needed
// to learn from it, so a lost step does not spoil the others.
#pragma once

#include "racing/forecast/prefix_match.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using caller_id = std::uint64_t;

// Numbers that the forecaster assigns to the names of targets and routes for the life of the process.
using target_number = std::uint32_t;
using route_number = std::uint32_t;

enum class attempt_step {
  began,     // the attempt was started and has no token yet
  spoke,     // the attempt's first token arrived
  cut,       // the attempt was cancelled or timed out without a token: only `at - started_at` is known
  failed,    // the target failed without sending a token
  dropped,   // the attempt ended without information about its target: the request failed, or the gateway refused it
  answered,  // the attempt's answer ended, some time after `spoke`
  usage,     // the attempt's provider reported `cached_tokens`, after `spoke`
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
  // Tokens of the prompt that the target reads; without cached tokens if they are known before the first token.
  double input_tokens = 0;
  double in_flight = 1;        // this gateway's attempts at the target when it started, including itself
  double output_tokens = 0;    // number of tokens in the answer; set for the step `answered`
  double decode_seconds = 0;   // for `answered`: seconds from the first token to the last; 0 if unknown
  std::optional<std::uint64_t> max_tokens;  // for `answered`: the request's limit
  // Set for requests that follow prompt caches. Then `input_tokens` counts the whole prompt.
  prefix_match match;                   // the match that the plan used, with its hit chance
  // For `spoke`: set if the provider has already reported them; for `usage`: always set.
  std::optional<double> cached_tokens;
  bool is_usage_expected = false;       // for `spoke`: true if a step `usage` follows
  // True if another attempt of the race at the same target had started before the step `began`, or had spoken before
  // the step `spoke` or `cut`.
  bool is_twin = false;
};

// Seconds between two times, never negative and never more than a day, even if the clocks are wrong.
inline double seconds_between(instant from, instant to) {
  constexpr double longest = 86'400;
  const double seconds = std::chrono::duration<double>(to - from).count();
  return seconds < 0 ? 0 : seconds < longest ? seconds : longest;
}

}  // namespace photofinish::racing
