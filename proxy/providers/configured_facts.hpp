// The configured facts about a provider's models. [pure]
#pragma once

#include "proxy/providers/provider.hpp"
#include "proxy/providers/target_facts.hpp"

#include <string_view>

namespace photofinish::proxy {

// Returns the configured facts about a model. Facts that are missing under the model's name are taken from the entry
// "*".
target_facts configured_facts(const provider& at, std::string_view model);

// Copies all facts that `into` does not contain yet.
void fill_in(const target_facts& from, target_facts& into);

}  // namespace photofinish::proxy
