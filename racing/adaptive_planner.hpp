// Converts a choice to the plan of one race: the order of the targets, the start times, and the attempts that may start
// after a long silence (rescues). [pure]
#pragma once

#include "racing/adaptive/choice.hpp"
#include "racing/planner.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// Applies a choice to the plan `planned`, which already contains the race's settings (make_plan()). Sets the plan's
// targets and its adaptive part. `candidates` contains the request's candidate for each row of the choice table.
// `others` are candidates that the choice does not compare. They are used after the compared candidates. `max_attempts`
// is the operator's own limit, if any.
void apply_choice(const adaptive_choice& choice, std::span<const std::size_t> candidates,
                  std::span<const std::size_t> others, std::optional<std::size_t> max_attempts, planned_race& planned);

}  // namespace photofinish::racing
