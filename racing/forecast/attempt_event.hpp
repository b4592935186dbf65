// The input of the forecast: one event of one attempt, as plain values. Each event contains all facts that are needed
// to evaluate it. If an event is lost, the other events can therefore still be evaluated. [pure]
#pragma once

#include "racing/forecast/prefix_match.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using caller_id = std::uint64_t;

// The forecaster gives each target and route a number. The numbers stay the same until the process ends.
using target_number = std::uint32_t;
using route_number = std::uint32_t;

enum class attempt_step {
  began,     // the attempt has started and has no token yet
  spoke,     // the attempt's first token arrived
  // The attempt was cancelled or exceeded a time limit before its first token. The time to the first token would have
  // been longer than `at - started_at`.
  cut,
  failed,    // the target failed without sending a token
  dropped,   // the attempt ended but gives no information about the target: the request was at fault, or the gateway
             // rejected it
  answered,  // the answer ended; this event comes after `spoke`
  usage,     // the provider reported `cached_tokens` after the event `spoke`
};

struct attempt_event {
  attempt_step step = attempt_step::began;
  std::uint64_t attempt = 0;  // number of the attempt, the same in all its events
  target_number target = 0;
  route_number route = 0;
  caller_id caller = 0;
  // The key with which failures are counted. 0 is the configured key. Any other value is the fingerprint of a caller's
  // own key.
  std::uint64_t key = 0;
  instant started_at{};
  instant at{};                // time of the event
  // The number of tokens in the prompt. Cached tokens are not included if their number is known before the first token.
  double input_tokens = 0;
  // The number of attempts that this gateway was running at the target when this attempt started, including this
  // attempt.
  double in_flight = 1;
  double output_tokens = 0;    // number of tokens in the answer; set in the event `answered`
  double decode_seconds = 0;   // seconds from the first to the last token; set in the event `answered`, 0 if unknown
  std::optional<std::uint64_t> max_tokens;  // token limit of the request; set in the event `answered`
  // The cached prefix that matches, for requests that prefer targets with a cached prompt. In the events of these
  // requests, `input_tokens` always counts the whole prompt.
  prefix_match match;                   // the prefix that the plan assumed to be cached, with the hit probability
  // The number of cached tokens. It is always set in the event `usage`. In the event `spoke`, it is set if the provider
  // has already reported it.
  std::optional<double> cached_tokens;
  bool is_usage_expected = false;       // true if the event `usage` will follow the event `spoke`
  // True if the race has an earlier attempt at the same target. In the event `began`, the other attempt started
  // earlier. In the events `spoke` and `cut`, the other attempt's first token came earlier.
  bool is_twin = false;
};

// Returns the seconds between two times. Even if the clocks are wrong, the result is between 0 and a day.
inline double seconds_between(instant from, instant to) {
  constexpr double longest = 86'400;
  const double seconds = std::chrono::duration<double>(to - from).count();
  return seconds < 0 ? 0 : seconds < longest ? seconds : longest;
}

}  // namespace photofinish::racing
