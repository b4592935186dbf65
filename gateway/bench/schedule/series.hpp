// Shows how the figures of a schedule's runs change over time: as JSON for programs, and as one HTML page that loads no
// other file. [pure]
#pragma once

#include "gateway/bench/schedule/schedule_state.hpp"

#include <string>

namespace photofinish::gateway::bench {

std::string write_series_json(const schedule_state& state);
std::string write_series_page(const schedule_state& state);

}  // namespace photofinish::gateway::bench
