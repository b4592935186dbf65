// Explains what a failed try means and what to do about it, for the person who runs the gateway.
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"
#include "proxy/failures/failure.hpp"

#include <string>

namespace photofinish::gateway {

struct diagnosis {
  std::string cause;   // one line: the answer of the provider, or the error of the connection
  std::string advice;  // what to do; empty: there is no advice
};

// The texts contain no key, because `why` was redacted when it was made.
diagnosis explain(const proxy::failure& why, const race_candidate& tried);

// Explains why a target was not tried: it has no key.
diagnosis explain_no_key(const proxy::provider& at);

// Describes where the key of a target comes from (a variable's name, a file's name, "none needed"), never the key
// itself.
std::string key_label(const race_candidate& tried);

}  // namespace photofinish::gateway
