// Targets and provider names as text. [pure]
#pragma once

#include "gateway/config.hpp"

#include <optional>
#include <string_view>

namespace photofinish::gateway {

// Splits "provider/model" at the first slash. None when a part is missing or holds a space, or a control
// character. Whether the provider exists is another question.
std::optional<target_name> parse_target(std::string_view text);

bool is_provider_name(std::string_view text);  // [a-z0-9][a-z0-9-]*
bool is_printable(std::string_view text);      // no space, no control character

}  // namespace photofinish::gateway
