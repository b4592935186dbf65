// A JSON schema with what each $ref names in its place. [pure]
// Some models give arguments of such a schema as strings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// How many bytes of objects all schemas in a request's tools may read. A part counts each time that it is named.
std::size_t inlinable_bytes(std::string_view tools);

// None: the schema has no $ref, or one that names no part of it, or contains itself; or no bytes are left.
std::optional<std::string> inline_refs(std::string_view schema, std::size_t& bytes_left);

}  // namespace photofinish::proxy
