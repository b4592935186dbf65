// The credential of an attempt, as a text that distinguishes credentials in hints to prompt caches. [pure]
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"

#include <string>

namespace photofinish::gateway {

// The key, or the names of the account if the key expires. All replicas have the same text, and a renewed token does
// not change it. The text is secret.
std::string hint_account(const race_candidate& target);

}  // namespace photofinish::gateway
