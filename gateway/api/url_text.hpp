// Reads parameters of a URL's query, and unescapes them. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the first parameter of that name in a query such as "limit=20&after_id=a", unescaped, or nothing.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace photofinish::gateway
