// Makes the configuration for a start without a file, from the keys in the environment. [pure]
#pragma once

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/process/environment.hpp"

namespace photofinish::gateway {

// Every preset whose key variable is set becomes a provider, and clients may call any of its models. The built-in race
// groups that these providers can serve become routes with the policy adaptive and its usual budget. If no such
// variable is set, there are no providers. A key that cannot be used causes a warning.
config_result zero_config(const environment& machine);

}  // namespace photofinish::gateway
