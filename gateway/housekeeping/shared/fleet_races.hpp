// GET /v1/races: the newest races of this gateway and of the other gateways on its store, in one list. [pure]
#pragma once

#include "gateway/housekeeping/shared/fleet_asking.hpp"
#include "gateway/records/race_receipt.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct fleet_races {
  std::string gateway;  // the name of the gateway that answers the request
  std::vector<std::shared_ptr<const race_receipt>> own = {};
  fleet_answers others = {};  // the other gateways' lists of races, and the set of gateways that the whole list covers
  std::size_t count = 0;      // the maximum number of races in the list
};

// Returns JSON that begins with the newest race:
// {"object":"list","gateway":…,"gateways":[…],"note":…,"data":[{"id",…,"gateway"}]}.
// Pages of other gateways are untrusted, so a race without an id is dropped.
std::string fleet_races_page(const fleet_races& races);

}  // namespace photofinish::gateway
