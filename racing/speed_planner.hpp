// Improves the plan of a race if the speeds of its targets are known. Used for `policy: adaptive`, `sort` and
// `hedge_delay: auto`. [pure]
#pragma once

#include "racing/adaptive/choice.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/planner.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::racing {

// The parts of the forecast that are needed to plan one request. Each row of the choice table describes one target.
struct forecast_terms {
  static constexpr std::size_t no_candidate = static_cast<std::size_t>(-1);

  std::shared_ptr<const route_speed> route;  // owns `table`
  const choice_table* table = nullptr;
  // The candidate for each row of the choice table; some rows may have none.
  std::vector<std::size_t> candidates;
  // One target per row of the choice table. plan_by_speed() sets the targets' states.
  std::vector<target_now> targets;
  double output_tokens = 250;           // expected number
  double draw = 1;                      // random, 0..1, uniform
  double turns = 0;                     // number of the model's answers in the conversation; shown in receipts
  caller_id caller = 0;
};

// Sorts the targets of a plan that make_plan() has made. Takes the cost of a probe from the budget. If the race is not
// run, the caller must return this cost to the budget.
void plan_by_speed(forecast_terms& terms, const std::vector<candidate>& candidates, const race_settings& settings,
                   const plan_overrides& overrides, const scoreboard& board, instant now, planned_race& planned);

// Returns the choice with which a race would begin, for use in reports. `terms` contains the facts about the race's
// request. The caller has already set the states of its targets. This function takes nothing from the budget.
adaptive_choice foresee(const forecast_terms& terms, const race_settings& settings);

}  // namespace photofinish::racing
