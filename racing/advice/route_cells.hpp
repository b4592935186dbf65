// Groups a route's requests in the window into cells with equal levels, failures and prompt size. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"
#include "racing/advice/what_if.hpp"

#include <span>
#include <vector>

namespace photofinish::racing {

// Selects the reading of a level to use.
enum class level_choice { smoothed, low, high };

// `targets` has at most max_advised entries, each with at least one minute. Prompts of each size are assumed to be
// spread evenly over all minutes.
std::vector<speed_cell> make_cells(const route_record& route, std::span<const target_record* const> targets,
                                   level_choice which);

// The share of the route's requests that had an attempt at every target within an hour of them.
double watched_share(const route_record& route, std::span<const target_record* const> targets);

sketch prompts_of(const route_record& route);

}  // namespace photofinish::racing
