// The environment in which this process really runs: its variables and its files.
#pragma once

#include "gateway/process/environment.hpp"

namespace photofinish::gateway {

// Returns the environment. It can read regular files of up to 16 MiB.
environment process_environment();

}  // namespace photofinish::gateway
