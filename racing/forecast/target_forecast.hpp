// The knowledge about one target at one moment, as plain values. The forecaster makes these values, and planners read
// them. [pure]
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
  double level = 0;       // ln seconds to the usual first token at the usual load, without the prompt's effect
  double shift = 0;       // temporary increase of the level because attempts are silent
  double rho = 0;         // the prompt's effect on the time, per input token
  survival_curve shape;   // distribution of the times of attempts that answer
  double error_share = 0.005;
  double hang_share = 0.005;
  double surprise_down = 0;        // evidence that the target has become faster; above 1.5 the target is worth a probe
  load_reading first_token_load;   // effect of the load on ln TTFT
  load_reading decode;             // decoding time in seconds per token, by load
  hit_shares hits;                 // cache hits by the age of the prefix
  std::uint64_t samples = 0;
  std::uint64_t jumps_up = 0, jumps_down = 0;
};

// The decoding time in seconds per token before any measurement. It is the speed of a usual service.
inline constexpr double assumed_decode = 0.01;

inline double decode_seconds_per_token(const target_forecast& target, double in_flight) {
  return target.decode.samples == 0 ? assumed_decode : target.decode.at(in_flight);
}

// Returns the identifier of a target together with one caller's own key.
inline std::uint64_t key_at(target_number target, std::uint64_t key) { return key ^ (target * 0x9e3779b97f4a7c15u); }

struct forecast {
  std::uint64_t number = 0;  // number of the forecast, incremented once a second
  instant at{};
  std::vector<target_forecast> targets;  // forecasts of the targets, indexed by target_number
  std::vector<answer_lengths> routes;    // answer lengths of the routes, indexed by route_number
  // Error shares of the callers' keys that had failures, keyed by key_at().
  std::unordered_map<std::uint64_t, double> key_errors;
};

}  // namespace photofinish::racing
