// Chooses the service tier that a request to a model asks for. Dialects write the tier, and its price applies.
// [pure but for yaml-cpp and answers it remembers]
#pragma once

#include "proxy/providers/service_tiers.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Calls fit_tier() for a model, as far as its name shows which tiers it has. The tier of a target (`wanted`) is
// sent to any model of a provider with tiers, except to models of Claude without fast mode. `asked` is the
// client's word, or empty.
sent_tier tier_for_model(const provider& target, std::string_view model, std::string_view asked,
                         std::optional<price_tier> wanted);

}  // namespace photofinish::proxy
