// Replaces a file as a whole. After a crash, and for a concurrent reader, the file is either the old file or the new
// one.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Replaces the file. Only the owner of the new file can read it. Returns an error text, or an empty text.
std::string replace_file(const std::string& path, std::string_view bytes);

// Replaces a file that a person maintains. The new file has the owner and mode of the old file, and a link stays a
// link. Returns an error text, or an empty text.
std::string rewrite_file(const std::string& path, std::string_view bytes);

}  // namespace photofinish::gateway
