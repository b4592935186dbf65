// Reads files whose content a person, or another program, put there: regular ones of a bounded size, and never one that
// blocks (a pipe without a writer, a terminal) or does not end (a device).
#pragma once

#include "gateway/process/environment.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

// The text, or why it cannot be had: "there is no such file", "is a folder, not a file", ...
file_content read_regular_file(const std::string& path, std::size_t most_bytes);

// Why the last system call failed: "No space left on device".
std::string reason_of_errno();

}  // namespace photofinish::gateway
