// One request's choice: who is first, who is the hedge and when, who is tried beside them, when a rescue starts. [pure]
// From the table of its route and input class, and what is the request's own. No clock, no lock, no allocation.
#pragma once

#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <span>

namespace photofinish::racing {

// Sets each target's hit chance, and lowers its costs by the tokens that it is expected to find. Once for a request,
// before its choice; plan_by_speed() does it. Targets without a match stay as they are.
void expect_hits(std::span<const table_row> rows, std::span<target_now> targets);

adaptive_choice choose(const choice_table& table, std::span<const target_now> targets, const choice_request& request);

// Targets in the order of `sort`, without a hedge: for the policies all, hedge and fallback.
adaptive_choice order_by(const choice_table& table, std::span<const target_now> targets, const choice_request& request);

// The delay of plain hedging with `hedge_delay: auto`: the first one's 95th percentile, for this prompt.
double automatic_delay(const choice_table& table, std::size_t row, const target_now& target);

// Seconds at which a share `silent` of such races is predicted to be without a first token.
double predicted_first_token(std::span<const table_row> rows, std::span<const target_now> targets,
                             const adaptive_choice& choice, double silent);

}  // namespace photofinish::racing
