// The scorecard for people at a terminal: a table for each input size, who is fastest, and what must be known. [pure]
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"

#include <string>

namespace photofinish::gateway::bench {

std::string write_card_table(const scorecard& card);

}  // namespace photofinish::gateway::bench
