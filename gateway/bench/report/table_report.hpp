// Writes the report for a terminal: the percentiles of each level, and then notes about the figures. [pure]
#pragma once

#include "gateway/bench/run_report.hpp"

#include <string>

namespace photofinish::gateway::bench {

std::string write_table(const run_report& run);

}  // namespace photofinish::gateway::bench
