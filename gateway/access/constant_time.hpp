// Texts that are secrets, compared. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway {

// How long it takes depends on the two lengths, and not on where the texts differ.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace photofinish::gateway
