// How much memory this process may use: the least of what its cgroups allow and what the machine has.
#pragma once

#include <cstddef>
#include <filesystem>

namespace photofinish::gateway {

// In bytes; never 0. `root` is where /proc and /sys are.
std::size_t machine_memory(const std::filesystem::path& root = "/");

}  // namespace photofinish::gateway
