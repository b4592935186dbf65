// Finds a name that two members of one JSON object have, because JSON readers disagree about which of the
// two members is used. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the path of a repeated member at any depth, for example "messages[1].content", or an empty string if each
// name is unique in its object. Names are compared unescaped. `json` must be valid. The search makes one pass and skips
// quickly to the end of each string.
std::string find_repeated_member(std::string_view json);

}  // namespace photofinish::proxy
