// A plan by what is known of its targets: `policy: adaptive`, `sort` and `hedge_delay: auto`. [pure]
#pragma once

#include "racing/adaptive/choice.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/planner.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::racing {

// What a request brings to it. Rows are those of the table.
struct forecast_terms {
  static constexpr std::size_t no_candidate = static_cast<std::size_t>(-1);

  std::shared_ptr<const route_speed> route;  // with the table that `table` points to
  const choice_table* table = nullptr;
  std::vector<std::size_t> candidates;  // of each row: the request's candidate; some may have none
  std::vector<target_now> targets;      // of each row; their states are set by plan_by_speed()
  double output_tokens = 250;           // expected
  double draw = 1;                      // 0..1, uniform
  double turns = 0;                     // answers of the model in the request's conversation: for receipts
  caller_id caller = 0;
};

// Sorts what make_plan() has planned. What a probe takes from the budget is taken here: the caller gives it back where
// the race does not come about.
void plan_by_speed(forecast_terms& terms, const std::vector<candidate>& candidates, const race_settings& settings,
                   const plan_overrides& overrides, const scoreboard& board, instant now, planned_race& planned);

// What a request like that would begin with, in a race by those settings: for who only wants to know. The states of the
// terms' targets are the caller's, and nothing is taken from the budget.
adaptive_choice foresee(const forecast_terms& terms, const race_settings& settings);

}  // namespace photofinish::racing
