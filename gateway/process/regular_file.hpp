// Reads files that people or other programs have written. Only regular files of limited size are read. Other files may
// block (a pipe without a writer, a terminal) or never end (a device).
#pragma once

#include "gateway/process/environment.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

// Returns the text. If the file cannot be read, returns the reason: "there is no such file", "is a folder, not a file",
// …
file_content read_regular_file(const std::string& path, std::size_t most_bytes);

// Returns the reason for the failure of the last system call, such as "No space left on device".
std::string reason_of_errno();

}  // namespace photofinish::gateway
