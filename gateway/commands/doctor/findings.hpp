// What a failed try means and what to do about it, in words for the person who runs the gateway.
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"
#include "proxy/failures/failure.hpp"

#include <string>

namespace photofinish::gateway {

struct diagnosis {
  std::string cause;   // one line: what the provider, or the way to it, said
  std::string advice;  // what to do; empty: nothing can be said
};

// Never holds a key: `why` was redacted where it was made.
diagnosis explain(const proxy::failure& why, const race_candidate& tried);

// Of a target that was not tried for want of a key.
diagnosis explain_no_key(const proxy::provider& at);

// Whose key a target is asked with, never the key: a variable's name, a file's, "none needed".
std::string key_label(const race_candidate& tried);

}  // namespace photofinish::gateway
