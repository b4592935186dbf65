#include "gateway/records/price_book.hpp"

#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/url.hpp"

#include <set>

namespace photofinish::gateway {

const proxy::model_prices* prices_of(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  if (provider == settings.providers.end()) return nullptr;
  const auto own = provider->second.prices.find(target.model);
  if (own != provider->second.prices.end()) return &own->second;
  const auto any = provider->second.prices.find("*");  // every model that it does not name
  if (any != provider->second.prices.end()) return &any->second;
  return proxy::built_in_prices(provider->second.price_list, target.model);
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

const proxy::model_prices* price_book::find(const std::shared_ptr<const config>& settings, const target_name& target) {
  if (settings_ != settings || found_.size() >= max_remembered) {
    settings_ = settings;
    found_.clear();
  }
  const auto [place, is_new] = found_.try_emplace(target, nullptr);
  if (is_new) place->second = prices_of(*settings_, target);
  return place->second;
}

}  // namespace photofinish::gateway
