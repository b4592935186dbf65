// Which places a configuration's credentials are looked for in, and what of them can be seen without asking.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>

namespace photofinish::gateway {

// For people, a line for each place; empty: no provider has credentials that expire. It holds no secret.
std::string credential_places(const config& settings, const environment& machine);

}  // namespace photofinish::gateway
