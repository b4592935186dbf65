#include "gateway/records/price_book.hpp"

#include "proxy/providers/catalogue.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace photofinish::gateway {

namespace {

using own_prices = std::map<std::string, proxy::model_prices>;

const proxy::model_prices* price_in(const own_prices& prices, const std::string& model) {
  const auto place = prices.find(model);
  return place == prices.end() ? nullptr : &place->second;
}

// Returns true if the provider is free unless the configuration sets a price. A local address is not sufficient,
// because it may belong to another gateway that uses a paid provider.
bool is_free_provider(const config& settings, const std::string& name) {
  const auto provider = settings.providers.find(name);
  return provider != settings.providers.end() && provider->second.key.is_unneeded;
}

}  // namespace

target_prices::target_prices(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  if (provider == settings.providers.end()) return;
  const own_prices& own = provider->second.prices;
  const std::string model(target.sent_model());
  const proxy::model_prices* any = price_in(own, model);
  // The price of "*" applies to every model that the price table does not list.
  if (any == nullptr) any = price_in(own, "*");
  const std::string& list = provider->second.listed.provider;
  const proxy::catalogue_model* listed = list.empty() ? nullptr : settings.catalogue.list().find(list, model);
  for (std::size_t place = 0; place < all_.size(); ++place) {
    const auto tier = static_cast<proxy::price_tier>(place);
    all_[place] = own.empty() ? nullptr : price_in(own, model + "@" + std::string(to_string(tier)));
    if (all_[place] == nullptr) all_[place] = any;
    if (all_[place] == nullptr && listed != nullptr) all_[place] = listed->prices_of(tier);
  }
}

const proxy::model_prices* prices_of(const config& settings, const target_name& target,
                                     std::optional<proxy::price_tier> served) {
  const proxy::price_tier own = target.tier.value_or(proxy::price_tier::standard);
  return target_prices(settings, target).of(served.value_or(own));
}

void target_prices::fill_free() {
  static const proxy::model_prices nothing{{proxy::price{}}};
  for (const proxy::model_prices*& each : all_)
    if (each == nullptr) each = &nothing;
}

bool lacks_price(const config& settings, const target_name& target) {
  return !is_free_provider(settings, target.provider) && prices_of(settings, target) == nullptr;
}

std::set<std::string> unpriced_targets(const config& settings) {
  std::set<std::string> unpriced;
  for (const target_name& target : configured_targets(settings))
    if (lacks_price(settings, target)) unpriced.insert(target.text());
  return unpriced;
}

bool has_money_budget(const config& settings) {
  const auto has_money = [](const limit_settings& limits) {
    return limits.budget_nano_usd > 0 || limits.soft_budget_nano_usd > 0;
  };
  const auto is_it = [&has_money](const access_key& key) {
    return has_money(key.limits) || std::any_of(key.by_route.begin(), key.by_route.end(),
                                                [&](const auto& entry) { return has_money(entry.second); });
  };
  return has_money(settings.access.key_defaults) ||
         std::any_of(settings.access.keys.begin(), settings.access.keys.end(), is_it) ||
         std::any_of(settings.access.teams.begin(), settings.access.teams.end(),
                     [&](const auto& entry) { return has_money(entry.second); }) ||
         std::any_of(settings.routes.begin(), settings.routes.end(),
                     [&](const auto& entry) { return has_money(entry.second.limits); });
}

std::string named_targets(const std::set<std::string>& targets) {
  constexpr std::size_t most_named = 20;
  std::string text;
  std::size_t count = 0;
  for (const std::string& each : targets)
    if (++count <= most_named) text.append(text.empty() ? "" : ", ").append(each);
  if (count > most_named) text += " and " + std::to_string(count - most_named) + " more";
  return text;
}

const target_prices& price_book::all_of(const std::shared_ptr<const config>& settings, const target_name& target) {
  if (settings_ != settings || found_.size() >= max_remembered) {
    settings_ = settings;
    found_.clear();
  }
  const auto place = found_.find(target);
  if (place != found_.end()) return place->second;
  target_prices& made = found_.emplace(target, target_prices(*settings_, target)).first->second;
  if (is_free_provider(*settings_, target.provider)) made.fill_free();
  return made;
}

}  // namespace photofinish::gateway
