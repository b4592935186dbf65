// A choice that is unlikely to meet its deadline starts more at once. If the prompt is cached somewhere, its hedge
// starts as late as is safe. [pure]
// Hedges that start at once are asked of the budget like all others: a deadline spends no more than the route allows.
#pragma once

#include "racing/adaptive/choice.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

inline constexpr double likely = 0.9;     // enough: nothing more is started for the rest
inline constexpr double unlikely = 0.1;   // of all targets together: the client gets to know

// Seconds from the race's beginning, for the first token, or with `sort: finish` the whole answer. Sets the choice's
// deadline and the chance that it is met. Where that is small, those with the best chance start at once, up to `most`.
void meet_deadline(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                   double seconds, std::size_t most, adaptive_choice& made);

}  // namespace photofinish::racing
