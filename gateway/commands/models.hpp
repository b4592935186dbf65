// `photofinish models`: lists the routes of a configuration with their targets, and the models that clients may call
// directly. It sends no request to providers.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Runs the command. Returns the exit code: 0, or 2 if the configuration cannot be used.
int run_models(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
               std::ostream& err);

}  // namespace photofinish::gateway
