// A figure as people read it. [pure]
#pragma once

#include <string>

namespace photofinish::gateway::bench {

// "412", "41.2", "4.12", "0.412": three digits that mean something. Whole numbers stay whole.
std::string number_text(double value);

}  // namespace photofinish::gateway::bench
