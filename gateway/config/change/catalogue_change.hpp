// Finds changes to the list of models that a reload must not make (docs/decisions/0082). [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the reason why the list in `fresh` must not replace the list in `running`. Returns nothing if the new list is
// acceptable. A configuration without the setting `catalogue` is always acceptable and uses the built-in list. When a
// file is loaded, its list is also compared with the built-in list.
std::optional<std::string> catalogue_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
