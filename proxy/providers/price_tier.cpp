#include "proxy/providers/price_tier.hpp"

#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, price_tiers> tier_words{"standard", "batch",    "flex",
                                                               "priority", "fast",     "ultrafast"};

// Words that mean the standard tier. Some of them mean capacity that was bought in advance. This capacity has no price
// per token, so the standard price applies.
constexpr std::array<std::string_view, 7> standard_words{"default",     "auto",  "on_demand", "standard_only",
                                                         "performance", "scale", "reserved"};

constexpr std::array<std::string_view, 2> standard_traffic{"ON_DEMAND", "PROVISIONED_THROUGHPUT"};

}  // namespace

std::optional<price_tier> parse_price_tier(std::string_view word) {
  const auto place = std::find(tier_words.begin(), tier_words.end(), word);
  if (place != tier_words.end()) return static_cast<price_tier>(place - tier_words.begin());
  return contains(standard_words, word) ? std::optional(price_tier::standard) : std::nullopt;
}

std::optional<price_tier> parse_traffic_type(std::string_view word) {
  if (contains(standard_traffic, word)) return price_tier::standard;
  if (word == "ON_DEMAND_PRIORITY") return price_tier::priority;
  if (word == "ON_DEMAND_FLEX" || word == "FLEX") return price_tier::flex;
  return std::nullopt;
}

std::string_view to_string(price_tier tier) { return tier_words.at(static_cast<std::size_t>(tier)); }

}  // namespace photofinish::proxy
