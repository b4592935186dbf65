// Replaces a file as a whole: after a crash, or for a concurrent reader, it is either the old file or the new one.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns an error text, or an empty string. Only the owner can read the new file.
std::string replace_file(const std::string& path, std::string_view bytes);

// Same for a file that a person maintains: it keeps the old owner and mode, and a link stays a link.
std::string rewrite_file(const std::string& path, std::string_view bytes);

}  // namespace photofinish::gateway
