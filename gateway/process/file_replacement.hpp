// Replaces a file atomically. After a crash, or for a concurrent reader, the file is either the complete old version or
// the complete new version.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Replaces the file. Only its owner can read the new file. Returns an error text, or an empty text.
std::string replace_file(const std::string& path, std::string_view bytes);

// Replaces a file that people also edit. The new file keeps the owner and the mode of the old file, and a symbolic link
// stays a link. Returns an error text, or an empty text.
std::string rewrite_file(const std::string& path, std::string_view bytes);

}  // namespace photofinish::gateway
