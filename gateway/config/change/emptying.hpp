// Finds changes that a reload must not make by accident. A file that was cut off, or is still being written, must not
// remove a running gateway's settings or open access to it. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the reason why `fresh` must not replace `running`, and how to fix it. Returns nothing if `fresh` is
// acceptable. A file is refused in each of these cases:
// - The file no longer contains any provider, route, team or access key, or contains fewer than half of the previous
//   ones. Removed keys do not count if they were blocked.
// - The file no longer contains redis, key_defaults, any guardrail, any issuer of jwt or any secret of sealed_keys.
// - The file gives more access than before, because the routes of a key, tls, its client_auth: require, or allow_from
//   are missing.
// A file with `allow_emptying: true` may make all these changes. Settings that open access explicitly (`open: true`,
// '*') are also accepted, because a file that was cut off never ends with them.
std::optional<std::string> emptying_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
