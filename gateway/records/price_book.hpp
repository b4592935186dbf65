// Finds the prices of a target's tokens: the figures in the configuration, otherwise the prices in the list of models.
// The book belongs to one worker. It remembers the prices that it has found.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/providers/price_tier.hpp"
#include "proxy/providers/prices.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace photofinish::gateway {

// The prices of one target for each tier.
class target_prices {
 public:
  target_prices() = default;
  target_prices(const config& settings, const target_name& target);

  // Returns the prices of a tier, or null if they are unknown. A tier without its own price costs the same as the
  // standard tier.
  const proxy::model_prices* of(proxy::price_tier tier) const {
    const proxy::model_prices* own = exactly(tier);
    return own != nullptr ? own : exactly(proxy::price_tier::standard);
  }
  // Sets the price 0 for tiers without a price, for a provider that sends no bill.
  void fill_free();
  // Returns the same as of(), but null for a tier without its own price.
  const proxy::model_prices* exactly(proxy::price_tier tier) const { return all_[static_cast<std::size_t>(tier)]; }

 private:
  std::array<const proxy::model_prices*, proxy::price_tiers> all_{};
};

// Returns the prices of the target's own tier, or of the tier that was served. Returns null if they are unknown, or if
// the provider sends no bill.
const proxy::model_prices* prices_of(const config& settings, const target_name& target,
                                     std::optional<proxy::price_tier> served = {});

// Returns true if no budget counts the target, because its price is unknown. Local presets and providers with `api_key:
// none` cost 0, so their price is known.
bool lacks_price(const config& settings, const target_name& target);

// Returns the targets of routes and the models of providers that have no price, without duplicates.
std::set<std::string> unpriced_targets(const config& settings);

// Returns true if a budget in money applies to a request.
bool has_money_budget(const config& settings);

// Names the targets for people: "a/m, b/m and 3 more".
std::string named_targets(const std::set<std::string>& targets);

class price_book {
 public:
  // Returns all prices of a target. The result is valid as long as the settings, but only until the next call.
  const target_prices& all_of(const std::shared_ptr<const config>& settings, const target_name& target);
  // Returns the prices of the target's own tier, or of the tier that was served. Returns null if they are unknown. The
  // result is valid as long as the settings.
  const proxy::model_prices* find(const std::shared_ptr<const config>& settings, const target_name& target,
                                  std::optional<proxy::price_tier> served = {}) {
    return all_of(settings, target).of(served.value_or(target.tier.value_or(proxy::price_tier::standard)));
  }

 private:
  // The number of remembered targets is limited, because callers can also choose names.
  static constexpr std::size_t max_remembered = 4096;

  struct hash {
    std::size_t operator()(const target_name& target) const {
      const std::hash<std::string> of;
      return std::rotl(of(target.provider), 1) ^ of(target.model);
    }
  };

  std::shared_ptr<const config> settings_;  // the settings whose prices are in `found_`
  std::unordered_map<target_name, target_prices, hash> found_;
};

}  // namespace photofinish::gateway
