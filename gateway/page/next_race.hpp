// Forecasts which targets the next race of a route would start, when and why. The live page shows the forecast before
// the race. [pure] The forecast assumes a request of the route's usual size that uses the operator's keys. The
// parameters, keys and limits of an actual request may lead to another result.
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/providers/prices.hpp"
#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

enum class next_start_when {
  at_once,        // the target is started when the race begins
  trial,          // the target is started together with the first target, to measure its speed
  hedge,          // the target is started if no first token arrives for some time
  after_failure,  // the target is started if an earlier target fails
  left_out,       // the target is not started, because it is in a cooldown and other targets are ready
};
std::string_view to_string(next_start_when when);

struct next_start {
  std::string target;
  next_start_when when = next_start_when::at_once;
  std::optional<double> after_seconds;  // the time from the start of the race to the start of this hedge, in seconds
  racing::target_state state = racing::target_state::ready;
  // The measured speed of a target. It is set only if the route chooses targets by speed.
  struct speed {
    double usual = 0, late = 0;  // p50 and p99 of the time to the first token, in seconds
    double tokens_per_second = 0;
    double win_cost = 0;         // the expected cost of the answer if this target wins the race
    std::uint64_t samples = 0;
  };
  std::optional<speed> known;
};

struct next_race {
  // True if targets are started in the order of their speed. False if they are started in the configured order.
  bool is_by_speed = false;
  bool is_money = false;           // true if costs are in US dollars; otherwise they are in tokens
  double input_tokens = 0, output_tokens = 0;  // the number of tokens that the forecast assumes for the request
  std::vector<next_start> starts;  // the targets in the order in which they would start
  std::optional<double> silent_share;  // the share of races in which no token has arrived when the hedge starts
  std::optional<double> saved_seconds; // the number of seconds that the hedge is expected to save, after a deduction
                                       // for its cost
  racing::probe_cause why_trial = racing::probe_cause::none;
  std::optional<double> rescue_seconds;  // a rescue attempt starts if no token arrives for this many seconds after the
                                         // last attempt started
};

// The data from which the forecast is made. The object does not own the data.
struct next_race_source {
  const config& settings;
  const racing::scoreboard& board;
  const racing::forecast_board* speed = nullptr;  // the measured speeds; null if no route is configured to use them
  const std::map<std::string, std::uint32_t>& flights;
  const std::function<const proxy::model_prices*(const target_name&)>& prices_of;  // null: unknown
  racing::instant now{};
  std::chrono::sys_seconds when{};
};

next_race next_race_of(const route& each, const next_race_source& from);

}  // namespace photofinish::gateway
