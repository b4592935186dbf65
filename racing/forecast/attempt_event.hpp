// What the forecast learns from: one step of one attempt, as plain values. [pure]
// Each step carries all that is needed to learn from it, so that a step that was lost spoils no other.
#pragma once

#include "racing/forecast/prefix_match.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using caller_id = std::uint64_t;

// Numbers that the forecaster gives to names, for the life of the process.
using target_number = std::uint32_t;
using route_number = std::uint32_t;

enum class attempt_step {
  began,     // it runs, and is silent from now on
  spoke,     // its first token came
  cut,       // cancelled or timed out without a token: `at - started_at` is all that is known
  failed,    // of the target's making, without a token
  dropped,   // it ended, and says nothing about its target: the request's own failure, a refusal of ours
  answered,  // its answer came to its end, some time after `spoke`
  usage,     // its provider has reported `cached_tokens`, after `spoke`
};

struct attempt_event {
  attempt_step step = attempt_step::began;
  std::uint64_t attempt = 0;  // the same for all steps of one attempt, and for no other
  target_number target = 0;
  route_number route = 0;
  caller_id caller = 0;
  std::uint64_t key = 0;       // whose failures these are: 0 the configured key's, else a caller's own fingerprint
  instant started_at{};
  instant at{};                // of the step
  double input_tokens = 0;     // to be read: without what was cached, where that is said before the first token
  double in_flight = 1;        // attempts of ours running there when it started, itself among them
  double output_tokens = 0;    // answered
  double decode_seconds = 0;   // answered: first token to last; 0 where it cannot be said
  std::optional<std::uint64_t> max_tokens;  // answered: what the request allowed
  // For requests that follow prompt caches: `input_tokens` is then the whole prompt.
  prefix_match match;                   // as planned, with its hit chance
  std::optional<double> cached_tokens;  // spoke: if the provider reports them before; usage: always
  bool is_usage_expected = false;       // spoke: a step `usage` will follow
  bool is_twin = false;  // another attempt of the race runs (began) or was heard (spoke, cut) at the same target before
};

// Never negative and never more than a day, whatever the clocks say.
inline double seconds_between(instant from, instant to) {
  constexpr double longest = 86'400;
  const double seconds = std::chrono::duration<double>(to - from).count();
  return seconds < 0 ? 0 : seconds < longest ? seconds : longest;
}

}  // namespace photofinish::racing
