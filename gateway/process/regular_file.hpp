// Reads files that a person or another program wrote. It reads only regular files of a limited size, never a file that
// blocks (a pipe without a writer, a terminal) or has no end (a device).
#pragma once

#include "gateway/process/environment.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

// Returns the text, or the reason why the file cannot be read: "there is no such file", "is a folder, not a file", …
file_content read_regular_file(const std::string& path, std::size_t most_bytes);

// Returns the reason why the last system call failed, such as "No space left on device".
std::string reason_of_errno();

}  // namespace photofinish::gateway
