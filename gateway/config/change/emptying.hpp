// Changes that a reload must not make by accident: a file that was cut short, or is being written, must not empty or
// open a running gateway. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// The reason why `fresh` must not replace `running`, with a remedy; empty if it may. A file is refused if it
// - has no provider, route, team or access key left, or lost more than half of them: a key that is blocked is not lost;
// - has lost redis, key_defaults, all guardrails, all issuers of jwt or all secrets of sealed_keys;
// - has lost the routes of a key, tls, its client_auth: require, or allow_from, and so opens more than before.
// A file with `allow_emptying: true` may do all of it. Words that open access (`open: true`, '*') pass, because they
// are never the rest of a cut file.
std::optional<std::string> emptying_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
