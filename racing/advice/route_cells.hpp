// A route's requests of the window as cells of what they have in common. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"
#include "racing/advice/what_if.hpp"

#include <span>
#include <vector>

namespace photofinish::racing {

// Which of a level's readings counts.
enum class level_choice { smoothed, low, high };

// `targets`: at most max_advised, each with minutes. Prompts of one size are taken as spread alike over all minutes.
std::vector<speed_cell> make_cells(const route_record& route, std::span<const target_record* const> targets,
                                   level_choice which);

// The share of its requests for which every target was seen within the hour.
double watched_share(const route_record& route, std::span<const target_record* const> targets);

sketch prompts_of(const route_record& route);

}  // namespace photofinish::racing
