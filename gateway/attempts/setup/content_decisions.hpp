// Refuses a request that readers may read in two ways, if the gateway decides something by what the request contains.
// [pure]
// Otherwise the gateway could decide by one of two members of the same name, and the provider could read the other.
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/model_name.hpp"
#include "gateway/attempts/setup/race_setup.hpp"

#include <optional>

namespace photofinish::gateway {

// `setup` has its route and its candidates. Returns nothing if no member is given twice, or if nothing is decided.
std::optional<api_error> refuse_repeated_member(const race_request& request, const runnable& wanted,
                                                const race_setup& setup);

}  // namespace photofinish::gateway
