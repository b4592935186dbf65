// The configuration without a file, from the keys in the environment. [pure]
#pragma once

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/process/environment.hpp"

namespace photofinish::gateway {

// Every preset whose key variable is set becomes a provider, and any of its models may be called. The ready race groups
// that these providers can serve become routes with the policy adaptive and its usual budget. Without such a variable
// there are no providers. A key that cannot be used is a warning.
config_result zero_config(const environment& machine);

}  // namespace photofinish::gateway
