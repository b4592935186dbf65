// JSON schemas of objects, for APIs that take neither alternatives nor references at a schema's root. [pure]
#pragma once

#include "proxy/json/values/json_pointers.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::string_view any_object_schema = R"({"type":"object","properties":{}})";

// The schema of a call's arguments, which are always an object: the client's own text if it is plain. Otherwise the
// root has the type `object`, and what anyOf, oneOf, allOf, enum and $ref say there is merged into its properties: none
// is lost. A property that several alternatives describe may be any of them; only what all require is required.
std::string argument_schema(std::string_view schema);

// True if the text of argument_schema() describes no property, though the schema says what the arguments are: it is a
// schema of a list, or a reference that nothing in it answers.
bool loses_arguments(std::string_view schema);

// A part of a schema that has alternatives or references of its own, as one object.
struct merged_schema {
  std::string json;       // empty: it does not describe an object with properties
  bool has_lost = false;  // the merged schema allows more than the given one
};

// References may name the same large schema again and again: what all parts of one schema may read, in bytes.
std::size_t readable_bytes(std::string_view root);

// `parts` are those of the whole schema, which references name. What is read counts against `bytes_left`. If no bytes
// are left, the rest of the schema is lost.
merged_schema merge_schema(std::string_view schema, json_pointers& parts, std::size_t& bytes_left);

}  // namespace photofinish::proxy
