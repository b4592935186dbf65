// Removes parameters that are nested in other parameters, by paths such as `[].reasoning_content` or
// `[].function.strict`. [pure]
#pragma once

#include "proxy/json/json_edits.hpp"

#include <string_view>

namespace photofinish::proxy {

// Removes every member to which a path leads. `value` is the JSON value at which the path begins, and must be a span of
// the text to which `edits` apply. In a path, `.key` enters an object and `[]` enters each element of an array. Returns
// false if no member was removed.
bool remove_nested(std::string_view path, std::string_view value, json_edits& edits);

}  // namespace photofinish::proxy
