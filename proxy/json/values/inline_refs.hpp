// Replaces each $ref in a JSON schema by the part of the schema that the $ref names. [pure] If a schema has references,
// some models write strings where the schema requires other types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns how many bytes of named parts may be read for all schemas of a request's tools. A part counts each time that
// a reference names it.
std::size_t inlinable_bytes(std::string_view tools);

// Returns the schema without references. Returns nullopt if the schema has no $ref, a $ref names no part of the schema,
// a part contains itself, or no bytes are left.
std::optional<std::string> inline_refs(std::string_view schema, std::size_t& bytes_left);

}  // namespace photofinish::proxy
