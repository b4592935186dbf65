// `photofinish providers`: every preset, where it is, which variable holds its key, and whether that is set.
// Needs no configuration.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>

namespace photofinish::gateway {

int run_providers(const environment& machine, std::ostream& out);

}  // namespace photofinish::gateway
