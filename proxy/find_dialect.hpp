// The dialects that there are, by name: the one file that knows them all. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <string_view>

namespace photofinish::proxy {

// The dialect that provider::dialect names; null when there is none.
const dialect* find_dialect(std::string_view name);

}  // namespace photofinish::proxy
