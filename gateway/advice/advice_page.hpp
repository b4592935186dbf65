// Writes the answer to GET /v1/advice as JSON. It contains the results that each racing policy would have had.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "racing/advice/route_advice.hpp"
#include "racing/statistics/wall_clock_filter.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct advice_report {
  racing::wall_time as_of;
  std::vector<racing::route_advice> routes;
  fleet_scope scope = {};  // the gateways whose races the advice is based on
};

// Returns JSON of this form (docs/stats/advice.md):
// {"object":"advice","as_of":…,"window_seconds":259200,"routes":[{"route","requests","currency","present":{…},
// "policies":[{"policy","ttft_seconds":{…},"extra_cost",…}],"targets":[…],"notes":[…]}]}
std::string advice_page(const advice_report& report, const config& settings);

}  // namespace photofinish::gateway
