// Who starts in a route's next race, when and why: the live page says so before the race comes. [pure]
// It speaks of a request of the route's usual size on the gateway's own keys. What one request brings (its prompt, its
// parameters, a caller's keys and limits) may change its plan.
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
  at_once,        // with the race's beginning
  trial,          // the same, beside the first, for what it tells
  hedge,          // after so long a silence
  after_failure,  // of those before it
  left_out,       // it cools down, and another may run
};
std::string_view to_string(next_start_when when);

struct next_start {
  std::string target;
  next_start_when when = next_start_when::at_once;
  std::optional<double> after_seconds;  // of a hedge, from the race's beginning
  racing::target_state state = racing::target_state::ready;
  // What is known of its speed; none where no route asks for it.
  struct speed {
    double usual = 0, late = 0;  // seconds to the first token: p50, p99
    double tokens_per_second = 0;
    double win_cost = 0;         // expected, of the whole answer
    std::uint64_t samples = 0;
  };
  std::optional<speed> known;
};

struct next_race {
  bool is_by_speed = false;        // else in the order of the configuration
  bool is_money = false;           // costs are USD, else tokens
  double input_tokens = 0, output_tokens = 0;  // of the request that it speaks of
  std::vector<next_start> starts;  // in their order
  std::optional<double> silent_share;  // of such races, at the hedge
  std::optional<double> saved_seconds; // by the hedge, with what it costs
  racing::probe_cause why_trial = racing::probe_cause::none;
  std::optional<double> rescue_seconds;  // of silence since the last start
};

// Where it is read. Borrowed for the call.
struct next_race_source {
  const config& settings;
  const racing::scoreboard& board;
  const racing::forecast_board* speed = nullptr;  // null: no route asks for it
  const std::map<std::string, std::uint32_t>& flights;
  const std::function<const proxy::model_prices*(const target_name&)>& prices_of;  // null: unknown
  racing::instant now{};
  std::chrono::sys_seconds when{};
};

next_race next_race_of(const route& each, const next_race_source& from);

}  // namespace photofinish::gateway
