// Finds changes that a reload must not make by accident. A file that was cut off, or is still being written, must not
// remove a running gateway's settings or open access to it. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the reason why `fresh` must not replace `running`, and how to fix it. Returns nothing if `fresh` is
// acceptable. A file is refused in each of these cases:
// - The file contains no provider, route, team or access key any more, or fewer than half of the previous ones. Blocked
//   keys that were removed do not count.
// - The file no longer contains redis, key_defaults, any guardrail, any issuer of jwt or any secret of sealed_keys.
// - The file gives more access than before, because it lacks the routes of a key, tls, its client_auth: require, or
//   allow_from.
// A file with `allow_emptying: true` may make all these changes. Settings that open access by a word (`open: true`,
// '*') are accepted, because a file that was cut off never ends with them.
std::optional<std::string> emptying_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
