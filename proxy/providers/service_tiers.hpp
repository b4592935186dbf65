// The names that providers use for their service tiers, and the tiers that they have. [pure] The words come from the
// providers' documentation (docs/decisions/0083-tiers-are-prices.md).
#pragma once

#include "proxy/providers/price_tier.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// The tier of one request, in the words of one provider.
struct sent_tier {
  std::string_view word = {};              // empty if the request does not name a tier
  price_tier tier = price_tier::standard;  // the tier whose prices apply
  bool is_lost = false;                    // true if the client asked for a tier that the provider does not have
};

// Chooses the tier of a request. `asked` is the client's word, or empty. `wanted` is the tier of the target, which
// overrides the client's. The word of the result is valid as long as `asked`.
sent_tier fit_tier(tier_form form, std::string_view asked, std::optional<price_tier> wanted);

// Returns the form in which the provider names tiers. Without a setting it is the form of the provider's API, and
// as_sent for OpenAI's API. Vertex AI has tiers only at the location global.
tier_form tier_form_of(const provider& target);

// Returns the tier at the end of a target's model, for example of "gpt-6.1-sol@priority". Returns nothing if the
// whole text is the name of a model. This is the case if the word after the last @ is not a tier, or if the provider
// does not have this tier.
std::optional<price_tier> tier_in_name(const provider& target, std::string_view model);

// Returns the word after the last @ of a model if the word is "batch" or the name of some provider's
// tier. Otherwise empty.
std::string_view tier_word_at_end(std::string_view model);

// Returns the model's name without the tier at its end.
std::string_view without_tier(std::string_view model);

}  // namespace photofinish::proxy
