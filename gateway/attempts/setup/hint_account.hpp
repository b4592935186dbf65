// The credential of an attempt, as hints to prompt caches tell credentials apart. [pure]
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"

#include <string>

namespace photofinish::gateway {

// The key, or for keys that expire the names of the account. All replicas have the same text, and a renewed token does
// not change it. The text is secret.
std::string hint_account(const race_candidate& target);

}  // namespace photofinish::gateway
