// Rewrites JSON schemas of objects for APIs that accept neither alternatives nor references at the root of a schema.
// [pure]
#pragma once

#include "proxy/json/values/json_pointers.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::string_view any_object_schema = R"({"type":"object","properties":{}})";

// Returns the schema of a call's arguments. Arguments are always an object. A schema that is already a plain object
// schema stays unchanged. Otherwise the root gets the type `object`, and the properties in its anyOf, oneOf, allOf,
// enum and $ref are merged, so that no property is lost. A property that occurs in several alternatives may match any
// of them. A property is required only if all alternatives require it.
std::string argument_schema(std::string_view schema);

// True if argument_schema() would lose all properties of a schema that describes arguments. Such a schema describes a
// list, or contains a reference that cannot be resolved.
bool loses_arguments(std::string_view schema);

// A part of a schema, converted to a single object schema without alternatives and references.
struct merged_schema {
  std::string json;       // the merged schema's JSON; empty if the original schema describes no object with properties
  bool has_lost = false;  // true if the merged schema allows more than the original schema
};

// Returns how many bytes may be read to merge all parts of one schema. A limit is needed because references may name
// the same large schema many times.
std::size_t readable_bytes(std::string_view root);

// Merges one part of a schema into a single object schema. `parts` finds the parts of the schema to which references
// point. Each byte that is read reduces `bytes_left`. When no bytes are left, the remaining properties are lost.
merged_schema merge_schema(std::string_view schema, json_pointers& parts, std::size_t& bytes_left);

}  // namespace photofinish::proxy
