// `photofinish version`: prints version, commit, compiler and libraries.
#pragma once

#include "metrics/exposition.hpp"

#include <string>

namespace photofinish::gateway {

std::string version_text();
metrics::build_facts this_build();

}  // namespace photofinish::gateway
