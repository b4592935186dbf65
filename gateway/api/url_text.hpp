// Reads parameters of a URL's query, and unescapes them. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the unescaped value of the first parameter with this name in a query such as "limit=20&after_id=a". Returns
// nothing if there is no such parameter.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace photofinish::gateway
