// The forecast for one target at one moment, as plain values. The forecaster makes forecasts, and planners read them.
// [pure]
#pragma once

#include "racing/forecast/answer_lengths.hpp"
#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/load_line.hpp"
#include "racing/forecast/prefix_match.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace photofinish::racing {

struct target_forecast {
  double level = 0;       // natural logarithm of the usual seconds to the first token with the usual number of running
                          // attempts; excludes the prompt's effect
  double shift = 0;       // temporary increase of `level` while attempts are silent
  double rho = 0;         // effect of each input token on the time
  survival_curve shape;   // distribution of the times of attempts that answer
  double error_share = 0.005;
  double hang_share = 0.005;
  double surprise_down = 0;        // evidence that the target has become faster; above 1.5 a probe is worthwhile
  load_reading first_token_load;   // effect of running attempts on ln TTFT
  load_reading decode;             // seconds per output token, depending on running attempts
  hit_shares hits;                 // cache hits, by the time since the prefix was last used
  std::uint64_t samples = 0;
  std::uint64_t jumps_up = 0, jumps_down = 0;
};

// The seconds per output token that are assumed before any measurement. Typical services have about this speed.
inline constexpr double assumed_decode = 0.01;

inline double decode_seconds_per_token(const target_forecast& target, double in_flight) {
  return target.decode.samples == 0 ? assumed_decode : target.decode.at(in_flight);
}

// Returns the identifier of a target together with a caller's own key.
inline std::uint64_t key_at(target_number target, std::uint64_t key) { return key ^ (target * 0x9e3779b97f4a7c15u); }

struct forecast {
  std::uint64_t number = 0;  // number of the forecast; it grows by 1 each second
  instant at{};
  std::vector<target_forecast> targets;  // the targets' forecasts, indexed by target_number
  std::vector<answer_lengths> routes;    // the routes' answer lengths, indexed by route_number
  // The shares of failed attempts, for callers' own keys that had failures. The index is the result of key_at().
  std::unordered_map<std::uint64_t, double> key_errors;
};

}  // namespace photofinish::racing
