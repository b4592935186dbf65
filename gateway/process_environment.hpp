// The environment that a running process really has: its variables, its files.
#pragma once

#include "gateway/environment.hpp"

namespace photofinish::gateway {

// Files above 16 MiB count as unreadable.
environment process_environment();

}  // namespace photofinish::gateway
