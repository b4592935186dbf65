// Writes the scorecard as one HTML page that loads no other file. The page contains a ranking, tables, and charts that
// compare speed and price. [pure]
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"

#include <string>

namespace photofinish::gateway::bench {

std::string write_card_page(const scorecard& card);

}  // namespace photofinish::gateway::bench
