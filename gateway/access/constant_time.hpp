// Compares secrets. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway {

// The duration depends on the two lengths, not on the position of a difference.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace photofinish::gateway
