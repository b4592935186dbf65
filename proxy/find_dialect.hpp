// The dialects that there are, by name: the one file that knows them all. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <span>
#include <string_view>

namespace photofinish::proxy {

struct named_dialect {
  std::string_view name;
  const dialect* its;
  auth_style auth = auth_style::bearer;  // how the key is shown where nothing else is said
  std::string_view auth_header = {};     // that carries it
};

// The first is what a provider speaks unless something else is said.
std::span<const named_dialect> all_dialects();

// The dialect that provider::dialect names; null when there is none.
const dialect* find_dialect(std::string_view name, std::span<const named_dialect> among = all_dialects());

}  // namespace photofinish::proxy
