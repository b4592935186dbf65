// Starts more attempts immediately if a choice is unlikely to meet its deadline. If the prompt is cached somewhere, the
// hedge starts as late as is safe. [pure]
// The budget must grant immediate hedges like all others: a deadline spends no more than the route allows.
#pragma once

#include "racing/adaptive/choice.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

inline constexpr double likely = 0.9;     // probability that is enough: no more attempts are started
inline constexpr double unlikely = 0.1;   // probability of all targets together below which the client is warned

// Deadlines are in seconds from the race's start to the first token, or to the whole answer with `sort: finish`. Sets
// the choice's deadline and the probability of meeting it. If that is low, the targets with the best probability start
// immediately, up to `most`.
void meet_deadline(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                   double seconds, std::size_t most, adaptive_choice& made);

}  // namespace photofinish::racing
