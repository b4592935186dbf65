// `photofinish providers`: lists each preset, its URL, the variable for its key, and whether that variable is set.
// Needs no configuration.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>

namespace photofinish::gateway {

int run_providers(const environment& machine, std::ostream& out);

}  // namespace photofinish::gateway
