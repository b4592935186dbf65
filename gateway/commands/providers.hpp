// `photofinish providers`: lists each preset with its URL and the variable for its key, and whether this variable is
// set. The command needs no configuration.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>

namespace photofinish::gateway {

int run_providers(const environment& machine, std::ostream& out);

}  // namespace photofinish::gateway
