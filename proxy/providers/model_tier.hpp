// Chooses the service tier for a request to a model. [pure but for yaml-cpp and answers it remembers] The dialect
// writes the tier into the request, and the price of the tier applies.
#pragma once

#include "proxy/providers/service_tiers.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Chooses the service tier for a request to this model, by calling fit_tier(). `wanted` is the target's configured
// tier, and `asked` is the client's word for a tier, or empty. If the provider has tiers, `wanted` is sent to all of
// its models, except to Claude models without fast mode.
sent_tier tier_for_model(const provider& target, std::string_view model, std::string_view asked,
                         std::optional<price_tier> wanted);

}  // namespace photofinish::proxy
