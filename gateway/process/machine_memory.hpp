// The amount of memory that this process may use: the smaller of its cgroups' limit and the machine's memory.
#pragma once

#include <cstddef>
#include <filesystem>

namespace photofinish::gateway {

// Returns the number of bytes, which is never 0. `root` is the folder that contains proc and sys.
std::size_t machine_memory(const std::filesystem::path& root = "/");

}  // namespace photofinish::gateway
