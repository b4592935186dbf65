// A JSON schema of an answer, as far as Anthropic's models can be held to it. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

struct narrowed_schema {
  std::string json;
  bool has_lost = false;  // something that the answer was to keep to
};

// Without limits of lengths, numbers and patterns; oneOf becomes anyOf; no object has members that it does not name.
narrowed_schema narrow_schema(std::string_view schema);

}  // namespace photofinish::proxy
