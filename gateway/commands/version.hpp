// `photofinish version`: prints the version, the commit, the compiler and the libraries.
#pragma once

#include "metrics/exposition.hpp"

#include <string>

namespace photofinish::gateway {

std::string version_text();
metrics::build_facts this_build();

}  // namespace photofinish::gateway
