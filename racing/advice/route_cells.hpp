// Groups the requests of a route over 72 hours into cells. Within a cell, the usual times of the targets are the same,
// the same targets fail, and prompts have the same size. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"
#include "racing/advice/what_if.hpp"

#include <span>
#include <vector>

namespace photofinish::racing {

// Selects which value of a target's usual time is used: the averaged value, or the low or high end of its range.
enum class level_choice { smoothed, low, high };

// Makes the cells. `targets` has at most max_advised entries, and each target has data for at least one minute. Prompts
// of all sizes are assumed to be spread evenly over the minutes.
std::vector<speed_cell> make_cells(const route_record& route, std::span<const target_record* const> targets,
                                   level_choice which);

// Returns one share for each target: the share of the route's requests that came within an hour of an attempt at the
// target.
double watched_share(const route_record& route, std::span<const target_record* const> targets);

sketch prompts_of(const route_record& route);

}  // namespace photofinish::racing
