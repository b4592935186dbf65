// Groups the requests of a route over 72 hours into cells with equal levels, failures and prompt sizes. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"
#include "racing/advice/what_if.hpp"

#include <span>
#include <vector>

namespace photofinish::racing {

// Selects the value of a target's level to use: the smoothed value, or the low or high end of its range.
enum class level_choice { smoothed, low, high };

// Makes the cells. `targets` has at most max_advised entries, each with at least one minute. Prompts of each size are
// assumed to be spread evenly over all minutes.
std::vector<speed_cell> make_cells(const route_record& route, std::span<const target_record* const> targets,
                                   level_choice which);

// Returns the share of the route's requests for which every target had an attempt within an hour of the request.
double watched_share(const route_record& route, std::span<const target_record* const> targets);

sketch prompts_of(const route_record& route);

}  // namespace photofinish::racing
