// Limits that define a good request, for example "time_to_first_token:100 inter_token_latency:3.4". [pure]
// Names and units are those of AIPerf. A request without the figure does not meet the limit.
#pragma once

#include "gateway/bench/request_figures.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

struct goodput_limit {
  const figure* of = nullptr;
  double limit = 0;  // the limit in the figure's own unit
};

// Returns the limits, or an error text. An empty text has no limits.
std::variant<std::vector<goodput_limit>, std::string> parse_goodput(std::string_view text);

bool is_good(const request_figures& request, const std::vector<goodput_limit>& limits);

}  // namespace photofinish::gateway::bench
