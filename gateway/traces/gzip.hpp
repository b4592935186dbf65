// Compresses bodies of requests with gzip (RFC 1952).
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the compressed text. Speed is more important here than size: the function compresses some hundred megabytes
// per second.
std::string gzipped(std::string_view text);

}  // namespace photofinish::gateway
