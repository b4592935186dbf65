// Finds the prices of a target's tokens: the prices in the configuration, or else the prices in the list of models. A
// price book belongs to one worker, and remembers the prices that it has found.
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

  // Returns the prices of a tier, or null if they are unknown. If a tier has no price of its own, the price of the
  // standard tier applies.
  const proxy::model_prices* of(proxy::price_tier tier) const {
    const proxy::model_prices* own = exactly(tier);
    return own != nullptr ? own : exactly(proxy::price_tier::standard);
  }
  // Sets the price 0 for price tiers without a price, because the provider sends no bill.
  void fill_free();
  // Returns the prices of a tier, or null if the tier has no price of its own.
  const proxy::model_prices* exactly(proxy::price_tier tier) const { return all_[static_cast<std::size_t>(tier)]; }

 private:
  std::array<const proxy::model_prices*, proxy::price_tiers> all_{};
};

// Returns the prices of a target's own tier, or of the tier in which the provider answered. Returns null if they are
// unknown, or if the provider sends no bill.
const proxy::model_prices* prices_of(const config& settings, const target_name& target,
                                     std::optional<proxy::price_tier> served = {});

// Returns true if no budget counts the target, because its price is unknown. The price of local presets, and of
// providers with `api_key: none`, is known to be 0.
bool lacks_price(const config& settings, const target_name& target);

// Returns the targets of routes, and the models of providers, whose price is unknown. The list has no duplicates.
std::set<std::string> unpriced_targets(const config& settings);

// Returns true if the configuration has a budget in money.
bool has_money_budget(const config& settings);

// Names the targets for a message: "a/m, b/m and 3 more".
std::string named_targets(const std::set<std::string>& targets);

class price_book {
 public:
  // Returns the prices of a target in all tiers. The result is valid until the next call, but at most as long as the
  // settings.
  const target_prices& all_of(const std::shared_ptr<const config>& settings, const target_name& target);
  // Returns the prices of the target's own tier, or of the tier in which the provider answered. Returns null if they
  // are unknown. The result is valid as long as the settings.
  const proxy::model_prices* find(const std::shared_ptr<const config>& settings, const target_name& target,
                                  std::optional<proxy::price_tier> served = {}) {
    return all_of(settings, target).of(served.value_or(target.tier.value_or(proxy::price_tier::standard)));
  }

 private:
  // The largest number of targets whose prices are remembered. It is limited because clients can also choose names of
  // targets.
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
