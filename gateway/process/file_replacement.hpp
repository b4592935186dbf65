// A file written anew as a whole: a crash, or a reader at the same time, finds the old one or the new one.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// The problem; empty: there is none. The new file is its owner's alone.
std::string replace_file(const std::string& path, std::string_view bytes);

// Likewise, for a file that a person keeps: owner and mode stay those of the old one, and a link stays one.
std::string rewrite_file(const std::string& path, std::string_view bytes);

}  // namespace photofinish::gateway
