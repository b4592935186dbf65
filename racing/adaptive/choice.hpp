// Makes one request's choice: the first target, the hedge and its delay, a probe next to them, and the time of a
// rescue. [pure] The choice depends on the choice table of the route and input class, and on the request's own figures.
// This file uses no clock, no lock and no allocation.
#pragma once

#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// Sets each target's probability of a cache hit, and lowers the target's costs because of the tokens that are expected
// in its cache. plan_by_speed() calls this function once per request, before the choice. A target without a matching
// prefix is unchanged.
void expect_hits(std::span<const table_row> rows, std::span<target_now> targets);

adaptive_choice choose(const choice_table& table, std::span<const target_now> targets, const choice_request& request);

// Orders targets by `sort` and plans no hedge. The policies all, hedge and fallback use this function.
adaptive_choice order_by(const choice_table& table, std::span<const target_now> targets, const choice_request& request);

// Returns the hedge delay for the policy hedge with `hedge_delay: auto`: the 95th percentile of the first target's
// times for this prompt.
double automatic_delay(const choice_table& table, std::size_t row, const target_now& target);

// Predicts the number of seconds after which the share `silent` of the races with this choice still has no first token.
double predicted_first_token(std::span<const table_row> rows, std::span<const target_now> targets,
                             const adaptive_choice& choice, double silent);

}  // namespace photofinish::racing
