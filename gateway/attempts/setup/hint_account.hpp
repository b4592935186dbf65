// Returns a text that identifies the account of an attempt. The hints for prompt caches contain this text, so different
// accounts get different hints. [pure]
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the attempt's key. If the key expires, returns the names of the account instead. These names do not change
// when the key is renewed, and are the same at all gateways. The returned text is secret.
std::string hint_account(const race_candidate& target);

}  // namespace photofinish::gateway
