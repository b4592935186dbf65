// The facts that a configuration contains about a provider's models. [pure]
#pragma once

#include "proxy/providers/provider.hpp"
#include "proxy/providers/target_facts.hpp"

#include <string_view>

namespace photofinish::proxy {

// Returns the facts under the model's name, completed from the facts under "*".
target_facts configured_facts(const provider& at, std::string_view model);

// Copies the facts that `into` does not have yet.
void fill_in(const target_facts& from, target_facts& into);

}  // namespace photofinish::proxy
