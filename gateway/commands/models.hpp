// `photofinish models`: the routes of a configuration with their targets, and what may be called directly.
// Asks no provider.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// The command itself. Returns its exit code: 0, or 2 when the configuration cannot be used.
int run_models(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
               std::ostream& err);

}  // namespace photofinish::gateway
