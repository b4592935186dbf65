// Starts more attempts immediately if the answer would probably miss its deadline. If a target has cached the prompt,
// the hedge instead starts as late as is safe. The route's budget pays for these attempts as for all hedges, so a
// deadline cannot cost more than the route allows. [pure]
#pragma once

#include "racing/adaptive/choice.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// No further attempts are started if the probability of meeting the deadline is at least this value.
inline constexpr double likely = 0.9;
// If the probability that any target meets the deadline is less than this, the client is warned.
inline constexpr double unlikely = 0.1;

// Stores the deadline in the choice, and the probability of meeting it. If the probability is too low, the best targets
// start immediately, at most `most` of them. The deadline is in seconds from the race's start to the first token, or to
// the end of the answer with `sort: finish`.
void meet_deadline(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                   double seconds, std::size_t most, adaptive_choice& made);

}  // namespace photofinish::racing
