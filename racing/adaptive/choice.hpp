// Makes the choice for one request. A choice names the first target, and a second attempt (hedge) with its delay. It
// may also name a probe, which measures another target, and the time of a rescue if no answer arrives. The choice
// depends on the choice table for the route and the class of prompt sizes, and on facts about the request. This file
// uses no clock, no lock and no allocation. [pure]
#pragma once

#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// Sets each target's probability of a cache hit, and reduces the target's costs for the tokens that are expected in its
// cache. plan_by_speed() calls this function once per request, before the choice. A target without a matching prefix
// stays unchanged.
void expect_hits(std::span<const table_row> rows, std::span<target_now> targets);

adaptive_choice choose(const choice_table& table, std::span<const target_now> targets, const choice_request& request);

// Orders the targets by `sort` and plans no hedge. The policies all, hedge and fallback use this function.
adaptive_choice order_by(const choice_table& table, std::span<const target_now> targets, const choice_request& request);

// Returns the delay of the second attempt for the policy hedge with `hedge_delay: auto`. The delay is the 95th
// percentile of the first target's times to the first token for this prompt.
double automatic_delay(const choice_table& table, std::size_t row, const target_now& target);

// Predicts a quantile of the time to the first token with this choice, in seconds. `silent` is the share of races that
// take longer than the returned time.
double predicted_first_token(std::span<const table_row> rows, std::span<const target_now> targets,
                             const adaptive_choice& choice, double silent);

}  // namespace photofinish::racing
