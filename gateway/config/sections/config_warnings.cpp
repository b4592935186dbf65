// Warns of settings that are valid, but probably not what the user meant.
#include "gateway/config/sections/sections.hpp"

#include "gateway/config/target_text.hpp"
#include "proxy/providers/model_tier.hpp"

#include <algorithm>
#include <set>

namespace photofinish::gateway {
namespace {

using racing::race_policy;

bool is_used(const config& settings, const std::string& provider) {
  return std::any_of(settings.routes.begin(), settings.routes.end(), [&](const auto& entry) {
    return names_target(entry.second, [&](const target_name& target) { return target.provider == provider; });
  });
}

// True if a provider has a key, but no target in routes or `models` uses the provider. Every call to such a
// provider gets a 404.
bool is_idle(const config& settings, const proxy::provider& provider) {
  return !provider.key.value.empty() && provider.models.empty() && !is_used(settings, provider.name);
}

void check_keys(const section_reader& top, const config& settings) {
  std::vector<std::string> idle;
  for (const auto& [name, provider] : settings.providers)
    if (is_idle(settings, provider)) idle.push_back(name);
  if (idle.empty()) return;
  if (settings.routes.empty() && idle.size() == settings.providers.size())
    return top.warn("providers", "no request can use the configured keys: add `routes`, or let providers list models, "
                                 "as in `models: ['*']`");
  for (const yaml_member& member : top.find("providers")->members)
    if (std::find(idle.begin(), idle.end(), member.key) != idle.end())
      top.shared().warn(member.key_at, "provider '" + member.key +
                                           "' has a key that no request can use: no route uses the provider, and the "
                                           "provider lists no models");
}

// Checks the hedge delay of the default race settings. The settings of a route are checked when the route is read.
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
    top.shared().warn(delay->value.at, "hedge_delay: no route has policy hedge, so only requests with x-race-policy: "
                                       "hedge use this setting");
}

// Returns a text that lists the callers who may call a route's target directly, and thereby avoid the route's limits.
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
    top.shared().warn(member.key_at, "the limits of route '" + member.key + "' do not apply to requests that name '" +
                                         found->second.targets.front().text() + "' as the model, and " + around +
                                         " may send such requests: give access keys `routes`, or their own limits");
  }
}

// Returns the reason why the service tier in a target's name has no effect. Returns an empty text if the tier is valid,
// or if the target has no tier.
std::string tier_problem(const proxy::provider& provider, const target_name& target) {
  const std::string_view model = target.sent_model();
  if (target.tier && tier_for_model(provider, model, {}, target.tier).is_lost)
    return "'" + target.text() + "': " + std::string(model) + " has no service tier " +
           std::string(to_string(*target.tier)) + ", so requests ask for the standard tier";
  const std::string_view word = target.tier ? std::string_view{} : proxy::tier_word_at_end(model);
  // The owner of a local model chooses the model's name. Therefore a tier's name at the end of this name has no special
  // meaning.
  if (word.empty() || provider.key.is_unneeded) return {};
  return "'@" + std::string(word) + "' is not a service tier of " + target.provider + ", so '" + std::string(model) +
         "' is used as the name of the model";
}

class tier_warnings {
 public:
  tier_warnings(const section_reader& top, const config& settings) : top_(top), settings_(settings) {}

  void check_routes() {
    each_member("routes", [this](const yaml_member& member) {
      const auto found = settings_.routes.find(member.key);
      if (found == settings_.routes.end()) return;
      (void)names_target(found->second, [&](const target_name& target) {
        const auto provider = settings_.providers.find(target.provider);
        if (provider != settings_.providers.end()) check(provider->second, target, member.key_at);
        return false;
      });
    });
  }

  void check_models() {
    each_member("providers", [this](const yaml_member& member) {
      const auto found = settings_.providers.find(member.key);
      if (found == settings_.providers.end()) return;
      for (const std::string& model : found->second.models)
        check(found->second, target_at(found->second, found->first, model), member.key_at);
    });
  }

 private:
  template <class Visit>
  void each_member(std::string_view section, Visit visit) {
    if (const yaml_node* node = top_.find(section))
      for (const yaml_member& member : node->members) visit(member);
  }

  void check(const proxy::provider& provider, const target_name& target, text_position at) {
    std::string problem = tier_problem(provider, target);
    if (!problem.empty() && named_.insert(target.text()).second) top_.shared().warn(at, std::move(problem));
  }

  const section_reader& top_;
  const config& settings_;
  // The targets that the warnings have already listed, so that no target is listed twice.
  std::set<std::string> named_;
};

}  // namespace

void check_use(const section_reader& top, const config& settings) {
  check_keys(top, settings);
  check_default_delay(top, settings);
  check_routes_limits(top, settings);
  tier_warnings tiers(top, settings);
  tiers.check_routes();
  tiers.check_models();
}

}  // namespace photofinish::gateway
