// Finds changes that a reload must not make by accident. A file that was cut short, or is being written, must not empty
// or open a running gateway. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the reason why `fresh` must not replace `running`, with a remedy. Returns nothing if it may. A file is
// refused if one of these conditions holds:
// - The file has no provider, route, team or access key left, or has lost more than half of them. A removed key that
//   was blocked does not count as lost.
// - The file has lost redis, key_defaults, all guardrails, all issuers of jwt or all secrets of sealed_keys.
// - The file has lost the routes of a key, tls, its client_auth: require, or allow_from, and so opens more than before.
// A file with `allow_emptying: true` may make all these changes. Words that open access (`open: true`, '*') are
// accepted, because a cut file never ends with them.
std::optional<std::string> emptying_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
