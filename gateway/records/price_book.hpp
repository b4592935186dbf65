// Finds the prices of a target's tokens. Prices in the configuration have priority over prices in the list of models.
// Each worker has its own price book, which caches the prices that it has found.
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

// The prices of one target in each price tier.
class target_prices {
 public:
  target_prices() = default;
  target_prices(const config& settings, const target_name& target);

  // Returns the prices of a price tier, or null if they are unknown. If a tier has no price of its own, the standard
  // tier's price applies.
  const proxy::model_prices* of(proxy::price_tier tier) const {
    const proxy::model_prices* own = exactly(tier);
    return own != nullptr ? own : exactly(proxy::price_tier::standard);
  }
  // Sets the price to 0 in all price tiers without a price. Call this if the provider does not charge anything.
  void fill_free();
  // Returns the prices of a price tier, or null if the tier has no price of its own.
  const proxy::model_prices* exactly(proxy::price_tier tier) const { return all_[static_cast<std::size_t>(tier)]; }

 private:
  std::array<const proxy::model_prices*, proxy::price_tiers> all_{};
};

// Returns a target's prices in the price tier `served`, in which the provider answered. If `served` is empty, the
// target's own tier applies. Returns null if the prices are unknown, or if the provider charges nothing.
const proxy::model_prices* prices_of(const config& settings, const target_name& target,
                                     std::optional<proxy::price_tier> served = {});

// Returns true if a target's cost cannot be counted in a budget, because its price is unknown. Local presets, and
// providers with `api_key: none`, have the known price 0.
bool lacks_price(const config& settings, const target_name& target);

// Returns all targets with an unknown price, without duplicates. Includes targets of routes and models of providers.
std::set<std::string> unpriced_targets(const config& settings);

// Returns true if the configuration has a budget in money.
bool has_money_budget(const config& settings);

// Lists the targets for a message, for example "a/m, b/m and 3 more".
std::string named_targets(const std::set<std::string>& targets);

class price_book {
 public:
  // Returns a target's prices in all price tiers. The result is valid until the next call, and only as long as the
  // settings exist.
  const target_prices& all_of(const std::shared_ptr<const config>& settings, const target_name& target);
  // Returns a target's prices in the price tier `served`, in which the provider answered. If `served` is empty, the
  // target's own tier applies. Returns null if the prices are unknown. The result is valid as long as the settings.
  const proxy::model_prices* find(const std::shared_ptr<const config>& settings, const target_name& target,
                                  std::optional<proxy::price_tier> served = {}) {
    return all_of(settings, target).of(served.value_or(target.tier.value_or(proxy::price_tier::standard)));
  }

 private:
  // The maximum number of targets whose prices are cached. A maximum is necessary because clients may invent names of
  // targets.
  static constexpr std::size_t max_remembered = 4096;

  struct hash {
    std::size_t operator()(const target_name& target) const {
      const std::hash<std::string> of;
      return std::rotl(of(target.provider), 1) ^ of(target.model);
    }
  };

  std::shared_ptr<const config> settings_;  // the configuration to which the prices in `found_` belong
  std::unordered_map<target_name, target_prices, hash> found_;
};

}  // namespace photofinish::gateway
