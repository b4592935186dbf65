// Chooses the service tier that a request to a model asks for. [pure but for yaml-cpp and answers it remembers]
// Dialects write the tier, and its price applies.
#pragma once

#include "proxy/providers/service_tiers.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Calls fit_tier() with the tiers that the model has according to its name. `wanted`, the target's configured tier, is
// sent to every model of a provider with tiers, except to Claude models without fast mode. `asked` is the client's word
// for the tier, or empty.
sent_tier tier_for_model(const provider& target, std::string_view model, std::string_view asked,
                         std::optional<price_tier> wanted);

}  // namespace photofinish::proxy
