// Reads the limits within which a request counts as good, for example "time_to_first_token:100
// inter_token_latency:3.4". [pure] The figures have AIPerf's names and units. If a request has no value for one of the
// limited figures, the request does not count as good.
#pragma once

#include "gateway/bench/request_figures.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

struct goodput_limit {
  const figure* of = nullptr;
  double limit = 0;  // the largest or smallest allowed value, in the unit of the figure
};

// Returns the limits, or an error text. If `text` is empty, there are no limits.
std::variant<std::vector<goodput_limit>, std::string> parse_goodput(std::string_view text);

bool is_good(const request_figures& request, const std::vector<goodput_limit>& limits);

}  // namespace photofinish::gateway::bench
