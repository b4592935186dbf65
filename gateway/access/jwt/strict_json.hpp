// Reads the JSON of a token or a key set so strictly that no two readers can understand it differently.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace photofinish::gateway {

// Returns an object in UTF-8, at most 16 levels deep, in which no object has two members of one name. Returns
// nothing for any other text.
std::optional<nlohmann::json> read_strict_object(std::string_view text);

}  // namespace photofinish::gateway
