// Replaces each $ref in a JSON schema with the part of the schema to which it points. [pure] If a schema contains
// references, some models write strings although the schema requires other types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the limit for the total size of the text that replaces references in a request's tool schemas, in bytes. If
// several references point to the same part of a schema, its size counts several times.
std::size_t inlinable_bytes(std::string_view tools);

// Returns the schema without references. Returns nullopt if the schema has no $ref, a $ref points to a missing part, a
// part contains itself, or `bytes_left` is exhausted.
std::optional<std::string> inline_refs(std::string_view schema, std::size_t& bytes_left);

}  // namespace photofinish::proxy
