// A choice becomes one race's plan: its targets in order, when each may start, and the second round. [pure]
#pragma once

#include "racing/adaptive/choice.hpp"
#include "racing/planner.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// `candidates`: the request's candidate of each row of the choice's table; `others`: those that it does not compare,
// which run behind them. The race's settings are in `planned` already
// (make_plan()); its targets and the adaptive part are set here. `max_attempts`: the operator's own limit, else none.
void apply_choice(const adaptive_choice& choice, std::span<const std::size_t> candidates,
                  std::span<const std::size_t> others, std::optional<std::size_t> max_attempts, planned_race& planned);

}  // namespace photofinish::racing
