// Lists all dialects by name. No other file contains the whole list. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <span>
#include <string_view>

namespace photofinish::proxy {

struct named_dialect {
  std::string_view name;
  const dialect* its;
  auth_style auth = auth_style::bearer;  // how requests contain the API key, unless the configuration overrides it
  std::string_view auth_header = {};     // the header that carries the key
};

// Returns all dialects. The first dialect is the default for providers.
std::span<const named_dialect> all_dialects();

// Returns the dialect with this name, or null if there is none.
const dialect* find_dialect(std::string_view name, std::span<const named_dialect> among = all_dialects());

}  // namespace photofinish::proxy
