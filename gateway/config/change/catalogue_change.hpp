// What a reload may not do to the list of models that is in use (docs/decisions/0082). [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Why the list of `fresh` must not replace the list of `running`; none if it may. The reading of `fresh` has compared
// its list with the built-in one. A configuration without the setting returns to the built-in list.
std::optional<std::string> catalogue_problem(const config& running, const config& fresh);

}  // namespace photofinish::gateway
