// JSON of a token or a key set, read so that no two readers can understand it differently.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace photofinish::gateway {

// An object in UTF-8 in which no object has two members of one name, at most 16 levels deep. None otherwise.
std::optional<nlohmann::json> read_strict_object(std::string_view text);

}  // namespace photofinish::gateway
