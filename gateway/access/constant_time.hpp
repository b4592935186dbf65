// Compares secrets in constant time. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway {

// Compares two texts. The duration depends only on their lengths, not on the position of a difference.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace photofinish::gateway
