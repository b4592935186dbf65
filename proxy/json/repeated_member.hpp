// Finds a member that one object has twice: readers do not agree which of the two counts. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// The path of such a member at any depth, as "messages[1].content"; empty: each name is unique in its object. Names are
// compared without their escapes. `json` is valid; one pass, which looks at no byte within strings but their ends.
std::string find_repeated_member(std::string_view json);

}  // namespace photofinish::proxy
