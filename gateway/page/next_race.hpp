// Forecasts which targets would start in a route's next race, when and why, so that the live page shows this before the
// race. [pure] The forecast assumes a request of the route's usual size with the gateway's own keys. The parameters,
// keys and limits of an actual request may change the plan.
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
  at_once,        // the target starts when the race begins
  trial,          // the target starts together with the first target, as a measurement
  hedge,          // the target starts if no first token arrives for some time
  after_failure,  // the target starts if an earlier target fails
  left_out,       // the target does not start, because it cools down and another target is ready
};
std::string_view to_string(next_start_when when);

struct next_start {
  std::string target;
  next_start_when when = next_start_when::at_once;
  std::optional<double> after_seconds;  // seconds from the race's start to the start of this hedge
  racing::target_state state = racing::target_state::ready;
  // The measured speed of a target. It is used only if the route selects targets by speed.
  struct speed {
    double usual = 0, late = 0;  // seconds to the first token, as p50 and p99
    double tokens_per_second = 0;
    double win_cost = 0;         // expected cost of the answer if this target wins
    std::uint64_t samples = 0;
  };
  std::optional<speed> known;
};

struct next_race {
  // True if targets start in the order of their speed; otherwise in their configured order.
  bool is_by_speed = false;
  bool is_money = false;           // true if costs are in USD; otherwise in tokens
  double input_tokens = 0, output_tokens = 0;  // size in tokens of the request that the forecast assumes
  std::vector<next_start> starts;  // the targets in the order of their starts
  std::optional<double> silent_share;  // share of races that have no token yet when the hedge starts
  std::optional<double> saved_seconds; // seconds that the hedge saves, after subtracting its cost
  racing::probe_cause why_trial = racing::probe_cause::none;
  std::optional<double> rescue_seconds;  // silence in seconds after the last start, before a rescue starts
};

// The data on which the forecast is based. The object only refers to the data.
struct next_race_source {
  const config& settings;
  const racing::scoreboard& board;
  const racing::forecast_board* speed = nullptr;  // measured speeds; null if no route needs them
  const std::map<std::string, std::uint32_t>& flights;
  const std::function<const proxy::model_prices*(const target_name&)>& prices_of;  // null: unknown
  racing::instant now{};
  std::chrono::sys_seconds when{};
};

next_race next_race_of(const route& each, const next_race_source& from);

}  // namespace photofinish::gateway
