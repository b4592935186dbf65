// Formats a figure as short text. [pure]
#pragma once

#include <string>

namespace photofinish::gateway::bench {

// Formats a figure with three significant digits: "412", "41.2", "4.12", "0.412". Whole numbers are not rounded.
std::string number_text(double value);

}  // namespace photofinish::gateway::bench
