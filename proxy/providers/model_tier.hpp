// Chooses the service tier for a request to a model. [pure but for yaml-cpp and answers it remembers] The dialect
// writes the tier into the request, and the price of the tier applies.
#pragma once

#include "proxy/providers/service_tiers.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Calls fit_tier() with the tiers that the model's name implies. `wanted`, the target's configured tier, is sent to
// every model of a provider that has tiers. Claude models without fast mode are an exception. `asked` is the client's
// word for the tier, or empty.
sent_tier tier_for_model(const provider& target, std::string_view model, std::string_view asked,
                         std::optional<price_tier> wanted);

}  // namespace photofinish::proxy
