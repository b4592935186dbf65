// Returns a text that identifies the account of an attempt, so that different accounts get different hints for prompt
// caches. [pure]
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the attempt's key. If the key expires, returns the names of the account instead, so that all gateways return
// the same text and a renewed token does not change it. The text is secret.
std::string hint_account(const race_candidate& target);

}  // namespace photofinish::gateway
