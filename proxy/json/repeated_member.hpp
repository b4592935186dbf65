// Finds a member that one object has twice: readers do not agree which of the two counts. [pure]
#pragma once

#include <simdjson.h>

#include <string>

namespace photofinish::proxy {

// The path of such a member at any depth, as "messages[1].content"; empty: each name is unique in its object. Names are
// compared without their escapes. Reads each value once.
std::string find_repeated_member(const simdjson::dom::element& root);

}  // namespace photofinish::proxy
