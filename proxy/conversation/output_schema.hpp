// Narrows an answer's JSON schema to the subset that Anthropic's models can follow. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

struct narrowed_schema {
  std::string json;
  bool has_lost = false;  // true if a constraint of the client's schema was removed
};

// Removes limits of lengths, numbers and patterns from a schema, replaces oneOf with anyOf, and forbids members that an
// object's schema does not list.
narrowed_schema narrow_schema(std::string_view schema);

}  // namespace photofinish::proxy
