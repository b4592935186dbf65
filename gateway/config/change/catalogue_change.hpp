// Changes of the list of models that a reload must not make (docs/decisions/0082). [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns the reason why the list of `fresh` must not replace the list of `running`. Returns nothing if it may. When
// `fresh` was read, its list was compared with the built-in list. A configuration without the setting `catalogue`
// returns to the built-in list.
std::optional<std::string> catalogue_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
