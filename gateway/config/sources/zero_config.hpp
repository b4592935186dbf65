// The configuration without a file: what the environment's keys allow. [pure]
#pragma once

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/process/environment.hpp"

namespace photofinish::gateway {

// Every preset whose key variable is set is a provider, and any of its models may be called; the ready race groups that
// these can serve are routes with the policy adaptive and its usual budget. No providers when no variable is set. A key
// that cannot be used is a warning.
config_result zero_config(const environment& machine);

}  // namespace photofinish::gateway
