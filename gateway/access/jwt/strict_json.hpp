// Reads the JSON of a token or a key set. Text that different parsers could understand differently is rejected.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace photofinish::gateway {

// Returns an object in UTF-8. It has at most 16 levels, and no object in it has two members of the same name. Returns
// nothing for any other text.
std::optional<nlohmann::json> read_strict_object(std::string_view text);

}  // namespace photofinish::gateway
