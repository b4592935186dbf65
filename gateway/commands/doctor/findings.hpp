// Explains a failed request to a target: what the failure means, and how the operator can fix it.
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"
#include "proxy/failures/failure.hpp"

#include <string>

namespace photofinish::gateway {

struct diagnosis {
  std::string cause;   // one line that contains the provider's answer or the connection's error
  std::string advice;  // advice about what to do; empty if there is none
};

// Explains a failure. The texts contain no key, because keys in `why` were already redacted.
diagnosis explain(const proxy::failure& why, const race_candidate& tried);

// Explains that a target was not tried because it has no key.
diagnosis explain_no_key(const proxy::provider& at);

// Returns the source of a target's key, never the key itself: the name of a variable or a file, or "none needed".
std::string key_label(const race_candidate& tried);

}  // namespace photofinish::gateway
