// Refuses a request that readers may read in two ways, if the gateway decides something by what the request contains.
// [pure]
// Otherwise the gateway could decide by one of two members of the same name, and the provider could read the other.
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/model_name.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"
#include "gateway/config/config.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace photofinish::gateway {

// All that may decide by what a request contains. Lives as long as the call.
struct content_deciders {
  const config& settings;
  std::string_view route;
  const runnable& wanted;
  std::span<const race_candidate> candidates;
  const std::function<bool(std::string_view route)>& counts_tokens;  // empty: no limit does
};

// Returns nothing if no member is given twice, or if nothing is decided.
std::optional<api_error> refuse_repeated_member(const parsed_request& asked, const content_deciders& by);

}  // namespace photofinish::gateway
