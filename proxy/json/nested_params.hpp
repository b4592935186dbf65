// Parameters that lie inside others, by a path such as `[].reasoning_content` or `[].function.strict`. [pure]
#pragma once

#include "proxy/json/json_edits.hpp"

#include <string_view>

namespace photofinish::proxy {

// Takes every member that the path leads to out of `value`, a span of the edits' text: `.key` goes into an object,
// `[]` into each element of an array. False when there was none.
bool remove_nested(std::string_view path, std::string_view value, json_edits& edits);

}  // namespace photofinish::proxy
