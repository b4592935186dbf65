// Starts more attempts immediately if a choice is unlikely to meet its deadline. If a target has the prompt cached, the
// hedge starts as late as is safe. [pure] The budget pays for these hedges as for all others, so a deadline spends no
// more than the route allows.
#pragma once

#include "racing/adaptive/choice.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// If the probability of meeting the deadline is at least this, no more attempts are started.
inline constexpr double likely = 0.9;
// If all targets together meet the deadline with a smaller probability than this, the client is warned.
inline constexpr double unlikely = 0.1;

// Sets the deadline of the choice and the probability of meeting it. If the probability is low, the targets with the
// best probability start immediately, up to `most` targets. Deadlines are in seconds from the race's start to the first
// token, or to the whole answer with `sort: finish`.
void meet_deadline(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                   double seconds, std::size_t most, adaptive_choice& made);

}  // namespace photofinish::racing
