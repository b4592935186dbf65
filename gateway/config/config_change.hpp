// What a reload may not do by accident: a file that was cut short, or is being written, must not empty or open a
// running gateway. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Why `fresh` must not replace `running`, and what to do: it removes all providers, all routes or all access keys, or
// lets a key reach more than it did because its list of routes is missing, or takes away tls, its
// client_auth: require, or allow_from. None when it does not, or when it says
// `allow_emptying: true`. Words that open something (`open: true`, '*') are never the rest of a cut file, and pass.
std::optional<std::string> emptying_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
