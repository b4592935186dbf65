// The starts in a route's next race, with their times and reasons, so that the live page shows them before the race.
// [pure]
// It assumes a request of the route's usual size with the gateway's own keys. A request's own prompt, parameters, keys
// and limits may change its plan.
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
  at_once,        // when the race begins
  trial,          // the same, next to the first target, as a measurement
  hedge,          // after so much silence
  after_failure,  // after a failure of an earlier target
  left_out,       // it cools down, and another target may run
};
std::string_view to_string(next_start_when when);

struct next_start {
  std::string target;
  next_start_when when = next_start_when::at_once;
  std::optional<double> after_seconds;  // for a hedge, from the race's start
  racing::target_state state = racing::target_state::ready;
  // Its known speed; empty if no route needs it.
  struct speed {
    double usual = 0, late = 0;  // seconds to the first token: p50, p99
    double tokens_per_second = 0;
    double win_cost = 0;         // expected cost of the whole answer
    std::uint64_t samples = 0;
  };
  std::optional<speed> known;
};

struct next_race {
  bool is_by_speed = false;        // false: in the order of the configuration
  bool is_money = false;           // costs are USD; false: tokens
  double input_tokens = 0, output_tokens = 0;  // of the assumed request
  std::vector<next_start> starts;  // in the order of their starts
  std::optional<double> silent_share;  // share of such races that are silent at the hedge
  std::optional<double> saved_seconds; // by the hedge, including its cost
  racing::probe_cause why_trial = racing::probe_cause::none;
  std::optional<double> rescue_seconds;  // silence since the last start
};

// The sources of the forecast. Borrowed for the call.
struct next_race_source {
  const config& settings;
  const racing::scoreboard& board;
  const racing::forecast_board* speed = nullptr;  // null: no route needs it
  const std::map<std::string, std::uint32_t>& flights;
  const std::function<const proxy::model_prices*(const target_name&)>& prices_of;  // null: unknown
  racing::instant now{};
  std::chrono::sys_seconds when{};
};

next_race next_race_of(const route& each, const next_race_source& from);

}  // namespace photofinish::gateway
