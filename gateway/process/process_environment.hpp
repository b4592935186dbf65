// The real environment of the running process: its variables and files.
#pragma once

#include "gateway/process/environment.hpp"

namespace photofinish::gateway {

// Returns the environment. Its function for files reads regular files of at most 16 MiB.
environment process_environment();

}  // namespace photofinish::gateway
