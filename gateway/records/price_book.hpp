// What a target's tokens cost: the configuration's own figures, else the list that came with the binary. One
// worker's; it remembers what it has looked up, because the list's rules are many.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/providers/prices.hpp"

#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace photofinish::gateway {

// Null: unknown.
const proxy::model_prices* prices_of(const config& settings, const target_name& target);

// Targets of routes whose price is unknown, each counted once. Engines on this machine cost nothing.
std::size_t unpriced_targets(const config& settings);

class price_book {
 public:
  // Null: unknown. Valid as long as the settings.
  const proxy::model_prices* find(const std::shared_ptr<const config>& settings, const target_name& target);

 private:
  static constexpr std::size_t max_remembered = 4096;  // names come from callers too

  struct hash {
    std::size_t operator()(const target_name& target) const {
      const std::hash<std::string> of;
      return std::rotl(of(target.provider), 1) ^ of(target.model);
    }
  };

  std::shared_ptr<const config> settings_;  // those that `found_` speaks of
  std::unordered_map<target_name, const proxy::model_prices*, hash> found_;
};

}  // namespace photofinish::gateway
