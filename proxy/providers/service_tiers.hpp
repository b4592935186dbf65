// The service tiers that each provider offers, and the provider's names for them. [pure] The names come from the
// providers' documentation (docs/decisions/0083-tiers-are-prices.md).
#pragma once

#include "proxy/providers/price_tier.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// The service tier of one request, as its provider names it.
struct sent_tier {
  // The provider's word for the tier; empty if the request does not name a tier.
  std::string_view word = {};
  price_tier tier = price_tier::standard;  // the tier whose price applies
  bool is_lost = false;                    // true if the client asked for a tier that the provider does not offer
};

// Chooses the tier of a request. `asked` is the client's word for a tier, or empty. `wanted` is the target's configured
// tier, which overrides the client's word. The word in the result is valid as long as `asked` is valid.
sent_tier fit_tier(tier_form form, std::string_view asked, std::optional<price_tier> wanted);

// Returns how requests to this provider name a service tier. If no form is configured, uses the form of the provider's
// own API, or as_sent for OpenAI's API. Vertex AI offers tiers only at the location global.
tier_form tier_form_of(const provider& target);

// Returns the tier at the end of a target's model, such as `priority` for "gpt-6.1-sol@priority". Returns nullopt if
// the word after the last @ is not a tier, or if the provider does not offer this tier. In that case, the complete text
// is the name of a model.
std::optional<price_tier> tier_in_name(const provider& target, std::string_view model);

// Returns the word after the last @ of a model's name, if this word is the name of any tier, including "batch".
// Otherwise returns an empty view.
std::string_view tier_word_at_end(std::string_view model);

// Returns the model's name without the tier at its end.
std::string_view without_tier(std::string_view model);

}  // namespace photofinish::proxy
