// The environment that a running process really has: its variables, its files.
#pragma once

#include "gateway/process/environment.hpp"

namespace photofinish::gateway {

// Reads regular files of at most 16 MiB.
environment process_environment();

}  // namespace photofinish::gateway
