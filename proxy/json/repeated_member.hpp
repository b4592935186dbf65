// Finds a member that occurs twice in one object, because readers do not agree which of the two counts. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the path of such a member at any depth, for example "messages[1].content", or an empty string if each name is
// unique in its object. Names are compared unescaped. `json` must be valid. It makes one pass and reads only the ends
// of strings.
std::string find_repeated_member(std::string_view json);

}  // namespace photofinish::proxy
