// A JSON schema with what each $ref names in its place. [pure]
// Some models give arguments of such a schema as strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// None: the schema has no $ref, or one that names no part of it, or contains itself; or the result would be too large.
std::optional<std::string> inline_refs(std::string_view schema);

}  // namespace photofinish::proxy
