// Writes the report as one web page that loads no other file. The page contains curves, tables and notes. [pure]
#pragma once

#include "gateway/bench/run_report.hpp"

#include <string>

namespace photofinish::gateway::bench {

std::string write_html(const run_report& run);

}  // namespace photofinish::gateway::bench
