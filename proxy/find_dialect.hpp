// Lists all dialects by name. This is the only file that knows all of them. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <span>
#include <string_view>

namespace photofinish::proxy {

struct named_dialect {
  std::string_view name;
  const dialect* its;
  auth_style auth = auth_style::bearer;  // the form of the key in requests, unless the configuration names another
  std::string_view auth_header = {};     // the header that carries the key
};

// Returns all dialects. The first one is the default of a provider.
std::span<const named_dialect> all_dialects();

// Returns the dialect that provider::dialect names, or null if there is none.
const dialect* find_dialect(std::string_view name, std::span<const named_dialect> among = all_dialects());

}  // namespace photofinish::proxy
