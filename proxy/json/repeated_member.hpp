// Finds a name that two members of one JSON object share. [pure] JSON parsers disagree about which of the two members
// counts.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the path of a repeated member at any depth, for example "messages[1].content". Returns an empty string if all
// members of each object have different names. Names are compared unescaped. `json` must be valid. The search reads the
// text once and skips strings quickly.
std::string find_repeated_member(std::string_view json);

}  // namespace photofinish::proxy
