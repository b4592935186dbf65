// Rewrites JSON schemas of objects, for APIs that accept neither alternatives nor references at a schema's root. [pure]
#pragma once

#include "proxy/json/values/json_pointers.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::string_view any_object_schema = R"({"type":"object","properties":{}})";

// Returns the schema of a call's arguments, which are always an object. A plain schema is returned as the client wrote
// it. Otherwise the root gets the type `object`, and the properties in its anyOf, oneOf, allOf, enum and $ref are
// merged, so that no property is lost. A property that several alternatives describe may match any of them. A property
// is required only if all alternatives require it.
std::string argument_schema(std::string_view schema);

// True if argument_schema() loses all properties of a schema that describes arguments. Such a schema describes a list,
// or has a reference that the schema does not resolve.
bool loses_arguments(std::string_view schema);

// A part of a schema whose alternatives and references were merged into one object.
struct merged_schema {
  std::string json;       // JSON of the merged schema; empty if the part describes no object with properties
  bool has_lost = false;  // true if the merged schema allows more than the original schema
};

// Returns the limit of bytes that may be read to merge all parts of one schema. References may name the same large
// schema many times.
std::size_t readable_bytes(std::string_view root);

// Merges one part of a schema into an object. `parts` resolves references to the whole schema. Each read reduces
// `bytes_left`. If no bytes are left, the rest of the part is lost.
merged_schema merge_schema(std::string_view schema, json_pointers& parts, std::size_t& bytes_left);

}  // namespace photofinish::proxy
