// Identifies the credential of an attempt with a text, so that hints to prompt caches are different for different
// credentials. [pure]
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the key. If the key expires, returns the names of the account instead. All replicas return the same text, and
// a renewed token does not change it. The text is secret.
std::string hint_account(const race_candidate& target);

}  // namespace photofinish::gateway
