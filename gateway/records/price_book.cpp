#include "gateway/records/price_book.hpp"

#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/url.hpp"

#include <set>

namespace photofinish::gateway {

namespace {

// A price of the configuration for this model. Null: it has none.
const proxy::model_prices* own_prices(const proxy::provider& provider, const std::string& model) {
  const auto own = provider.prices.find(model);
  if (own != provider.prices.end()) return &own->second;
  const auto any = provider.prices.find("*");  // every model that it does not name
  return any != provider.prices.end() ? &any->second : nullptr;
}

}  // namespace

target_prices::target_prices(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  if (provider == settings.providers.end()) return;
  if (const auto* own = own_prices(provider->second, target.model)) {
    all_.fill(own);
    return;
  }
  const proxy::catalogue_model* listed = proxy::built_in_model(provider->second.price_list, target.model);
  if (listed == nullptr) return;
  for (std::size_t tier = 0; tier < all_.size(); ++tier)
    all_[tier] = listed->prices_of(static_cast<proxy::price_tier>(tier));
}

const proxy::model_prices* prices_of(const config& settings, const target_name& target, proxy::price_tier tier) {
  return target_prices(settings, target).of(tier);
}

std::size_t unpriced_targets(const config& settings) {
  std::set<std::string> unpriced;
  for (const auto& [name, route] : settings.routes)
    (void)names_target(route, [&](const target_name& target) {
      const auto provider = settings.providers.find(target.provider);
      const bool is_local = provider != settings.providers.end() && proxy::is_loopback(provider->second.url.host);
      if (!is_local && prices_of(settings, target) == nullptr) unpriced.insert(target.text());
      return false;
    });
  return unpriced.size();
}

const target_prices& price_book::all_of(const std::shared_ptr<const config>& settings, const target_name& target) {
  if (settings_ != settings || found_.size() >= max_remembered) {
    settings_ = settings;
    found_.clear();
  }
  const auto place = found_.find(target);
  if (place != found_.end()) return place->second;
  return found_.emplace(target, target_prices(*settings_, target)).first->second;
}

}  // namespace photofinish::gateway
