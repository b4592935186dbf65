// Writes the scorecard for a terminal: a table for each input size, a ranking of the endpoints, and notes. [pure]
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"

#include <string>

namespace photofinish::gateway::bench {

std::string write_card_table(const scorecard& card);

}  // namespace photofinish::gateway::bench
