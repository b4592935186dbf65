// What is right by itself and still cannot have been meant.
#include "gateway/config/sections/sections.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using racing::race_policy;

bool is_used(const config& settings, const std::string& provider) {
  return std::any_of(settings.routes.begin(), settings.routes.end(), [&](const auto& entry) {
    return names_target(entry.second, [&](const target_name& target) { return target.provider == provider; });
  });
}

// Its key is spent on what routes and `models` name; with neither, every call on it is 404.
bool is_idle(const config& settings, const proxy::provider& provider) {
  return !provider.key.value.empty() && provider.models.empty() && !is_used(settings, provider.name);
}

void check_keys(const section_reader& top, const config& settings) {
  std::vector<std::string> idle;
  for (const auto& [name, provider] : settings.providers)
    if (is_idle(settings, provider)) idle.push_back(name);
  if (idle.empty()) return;
  if (settings.routes.empty() && idle.size() == settings.providers.size())
    return top.warn("providers", "no request can use the keys configured here: add routes, or let providers "
                                 "list models, as in models: ['*']");
  for (const yaml_member& member : top.find("providers")->members)
    if (std::find(idle.begin(), idle.end(), member.key) != idle.end())
      top.shared().warn(member.key_at, "provider '" + member.key +
                                           "' has a key, but no route uses it and it lists no models: no request can "
                                           "use that key");
}

// A route's own race is looked at where it is read.
void check_default_delay(const section_reader& top, const config& settings) {
  const yaml_node* node = top.find("race");
  if (!node || settings.routes.empty() || settings.race.hedge_delay == racing::race_settings{}.hedge_delay) return;
  const auto names_delay = [](const yaml_member& each) { return each.key == "hedge_delay"; };
  const auto delay = std::find_if(node->members.begin(), node->members.end(), names_delay);
  const bool is_used_by_a_route =
      settings.race.policy == race_policy::hedge ||
      std::any_of(settings.routes.begin(), settings.routes.end(),
                  [](const auto& entry) { return entry.second.race.policy == race_policy::hedge; });
  if (delay != node->members.end() && !is_used_by_a_route)
    top.shared().warn(delay->value.at, "hedge_delay: no route has policy hedge, so it is used only where a client sets "
                                       "x-race-policy: hedge");
}

// Whose requests a route's limits do not see where they name a target of its.
std::string who_may_go_around(const config& settings) {
  if (!settings.asks_for_keys()) return "any caller";
  constexpr std::size_t most_named = 3;
  std::string names;
  std::size_t count = 0;
  for (const access_key& each : settings.access.keys)
    if (each.routes.empty() && ++count <= most_named) names += (names.empty() ? "" : ", ") + each.name;
  if (count > most_named) names += " and " + std::to_string(count - most_named) + " more";
  return names;
}

void check_routes_limits(const section_reader& top, const config& settings) {
  const yaml_node* routes = top.find("routes");
  const std::string around = who_may_go_around(settings);
  if (routes == nullptr || around.empty()) return;
  for (const yaml_member& member : routes->members) {
    const auto found = settings.routes.find(member.key);
    if (found == settings.routes.end() || !found->second.limits.is_limited()) continue;
    top.shared().warn(member.key_at, "the limits of route '" + member.key + "' do not hold where a caller names '" +
                                         found->second.targets.front().text() + "' as the model, which " + around +
                                         " may: give access keys `routes`, or limits of their own");
  }
}

}  // namespace

void check_use(const section_reader& top, const config& settings) {
  check_keys(top, settings);
  check_default_delay(top, settings);
  check_routes_limits(top, settings);
}

}  // namespace photofinish::gateway
