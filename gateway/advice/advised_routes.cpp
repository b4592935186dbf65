#include "gateway/advice/advised_routes.hpp"

#include "gateway/records/cost.hpp"
#include "gateway/records/price_book.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace photofinish::gateway {
namespace {

bool is_local(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  return provider != settings.providers.end() && proxy::is_loopback(provider->second.url.host);
}

std::uint64_t whole(double tokens) { return static_cast<std::uint64_t>(std::llround(std::clamp(tokens, 0.0, 1e9))); }

// Returns a function that computes the cost of an attempt. The function shares ownership of the configuration.
std::function<racing::attempt_cost(std::size_t, double, double)> cost_of(const std::shared_ptr<const config>& settings,
                                                                         const route& each, const cost_rule& rule) {
  return [settings, &each, rule](std::size_t at, double input, double output) {
    const target_name& target = each.targets[at];
    const auto provider = settings->providers.find(target.provider);
    const auto billing = provider == settings->providers.end() ? proxy::cancel_billing::unknown
                                                               : provider->second.behaves.billing;
    const expected_cost costs =
        cost_of_attempt(rule, prices_of(*settings, target), billing, whole(input), whole(output));
    return racing::attempt_cost{costs.win, costs.loss};
  };
}

// True if the provider has the name and the URL of a preset. If the URL is different or refers to this machine, the
// preset's name shows only which software is used, not which company operates it.
bool is_preset_itself(const proxy::provider& each) {
  return !each.preset.empty() && !each.listed.provider.empty() && !each.key.is_optional;
}

// True if both providers may become slow at the same time, because they are the same service or have the same host.
bool has_same_vendor(const proxy::provider& one, const proxy::provider& other) {
  if (!one.url.host.empty() && one.url.host == other.url.host && one.url.port == other.url.port) return true;
  return is_preset_itself(one) && is_preset_itself(other) && one.preset == other.preset;
}

}  // namespace

bool is_priced(const config& settings, const std::vector<target_name>& targets) {
  bool has_price = false;
  for (const target_name& target : targets) {
    const bool is_known = prices_of(settings, target) != nullptr;
    has_price |= is_known;
    if (!is_known && !is_local(settings, target)) return false;
  }
  return has_price;
}

std::uint32_t vendor_of(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  if (provider == settings.providers.end()) return static_cast<std::uint32_t>(settings.providers.size());
  const auto is_same = [&provider](const auto& each) { return has_same_vendor(each.second, provider->second); };
  const auto first = std::find_if(settings.providers.begin(), provider, is_same);
  return static_cast<std::uint32_t>(std::distance(settings.providers.begin(), first));
}

std::vector<racing::advised_route> advised_routes(const std::shared_ptr<const config>& settings,
                                                  std::chrono::sys_seconds now) {
  std::vector<racing::advised_route> all;
  for (const std::string& name : settings->route_order) {
    const auto found = settings->routes.find(name);
    if (found == settings->routes.end() || found->second.targets.size() < 2) continue;
    const route& each = found->second;
    racing::advised_route& made = all.emplace_back();
    made.name = name;
    made.settings = each.race;
    for (const target_name& target : each.targets) {
      made.targets.push_back(target.text());
      made.vendors.push_back(vendor_of(*settings, target));
    }
    made.cost = cost_of(settings, each, {is_priced(*settings, each.targets), now});
  }
  return all;
}

}  // namespace photofinish::gateway
