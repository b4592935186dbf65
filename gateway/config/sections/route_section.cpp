#include "gateway/config/sections/sections.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/providers/presets.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace photofinish::gateway {
namespace {

// The providers that a file declares; with thousands of routes each is looked up thousands of times.
struct declared {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> set;
  bool is_known = true;  // false: they could not be read, and no name can be called unknown
};

declared declared_providers(const section_reader& top) {
  declared made{.names = declared_names(top, "providers"), .set = {}, .is_known = knows_names(top, "providers")};
  made.set = {made.names.begin(), made.names.end()};
  return made;
}

void check_route_name(reading& shared, const yaml_member& entry, const declared& providers) {
  const std::string& name = entry.key;
  const auto refuse = [&](const std::string& why) {
    shared.error(entry.key_at, "route '" + name + "' " + why);
  };
  if (name.empty()) refuse("needs a name");
  if (name.find_first_of("/,") != std::string::npos)
    refuse("must not contain '/' or ',': these are for targets and lists");
  if (name.starts_with('_')) refuse("must not begin with '_': the metrics reserve such names");
  if (!is_printable(name)) refuse("must not contain a space or a control character");
  if (providers.set.contains(name)) refuse("has the name of a provider: choose another");
}

// `written`: the target as the file has it. A part of what a variable holds is not shown.
std::string unknown_provider(const std::string& name, const std::string& written,
                             const std::vector<std::string>& providers) {
  constexpr std::size_t most_candidates = 1'000;  // they are compared for each wrong name of a file
  if (proxy::presets().contains(name))
    return "the provider '" + name + "' is not configured: add `" + name + ": {}` below providers";
  std::vector<std::string> candidates;
  if (providers.size() <= most_candidates) candidates = providers;
  for (const auto& [preset, known] : proxy::presets()) candidates.push_back(preset);
  const std::string& reported = has_variable(written) ? written : name;
  return "unknown provider '" + reported + "'" + did_you_mean(name, candidates);
}

// Reports at the target's own place in the list.
void read_target(const section_reader& reader, std::size_t place, const std::string& text,
                 const declared& providers, const config& settings, route& into) {
  const yaml_node& item = reader.find("targets")->items[place];
  const auto refuse = [&](const std::string& why) { reader.shared().error(item.at, "targets: " + why); };
  const auto target = parse_target(text);
  if (!target) return refuse("'" + text + "' is not a target: write provider/model");
  if (!providers.set.contains(target->provider)) {
    const auto& suggested = reader.shared().suggested_providers;
    const bool is_consequence = !providers.is_known || suggested.contains(target->provider);
    return is_consequence ? void() : refuse(unknown_provider(target->provider, item.text, providers.names));
  }
  if (std::find(into.targets.begin(), into.targets.end(), *target) != into.targets.end())
    return refuse(text + " is listed twice");
  const auto provider = settings.providers.find(target->provider);
  const bool may_rewrite = provider != settings.providers.end() && !provider->second.behaves.append_only;
  if (may_rewrite && reader.find("targets")->items.size() > 1)
    return refuse(text + " rewrites its text while it streams (append_only: false): it cannot race others");
  into.targets.push_back(*target);
}

enum class race_section { right, doubtful };

void check_policy(const section_reader& reader, const std::string& name, race_section race, route& into) {
  if (into.race.policy) return;
  if (race == race_section::right && reader.find("targets") && reader.find("targets")->items.size() > 1)
    reader.shared().error(reader.at(), "route '" + name +
                                           "' has several targets, so its race needs a policy (adaptive, hedge, all or "
                                           "fallback), here or in the default race");
  into.race.policy = racing::race_policy::fallback;  // one target: every policy is the same
}

// Of what the policy does not use: not of a default written out, nor of what came along with `<<` from elsewhere in the
// file.
void warn_of_idle(const section_reader& reader, const route& into, std::string_view name, const std::string& use) {
  const yaml_node* race = reader.find("race");
  for (const yaml_member& each : race->members)
    if (each.key == name && each.key_at.line >= race->at.line)
      reader.shared().warn(each.value.at, std::string(name) + ": the policy here is " +
                                              std::string(to_string(*into.race.policy)) + ", " + use);
}

void warn_of_idle_settings(const section_reader& reader, const route& into) {
  using racing::race_policy;
  const racing::race_settings usual;
  const racing::race_settings& race = into.race;
  if (!reader.find("race") || !race.policy) return;
  const bool has_delay = race.hedge_delay != usual.hedge_delay || race.is_hedge_delay_auto;
  if (has_delay && race.policy == race_policy::adaptive)
    warn_of_idle(reader, into, "hedge_delay", "which finds each delay itself");
  else if (has_delay && race.policy != race_policy::hedge)
    warn_of_idle(reader, into, "hedge_delay", "so it is used only where a client sets x-race-policy: hedge");
  if (race.max_extra_cost == usual.max_extra_cost || race.policy == race_policy::adaptive) return;
  const bool may_be_lowered = race.policy == race_policy::all || race.policy == race_policy::hedge;
  warn_of_idle(reader, into, "max_extra_cost",
               may_be_lowered ? "so it is used only where a client sets x-race-policy: adaptive"
                              : "which starts no target beside one that is silent");
}

route read_route(const section_reader& reader, const std::string& name,
                 const declared& providers, const config& settings) {
  route into{.name = name, .targets = {}, .race = settings.race};
  std::vector<std::string> texts;
  if (!reader.find("targets") && !reader.has_unknown())
    reader.shared().error(reader.at(), "route '" + name + "' needs targets");
  if (reader.read("targets", texts) && texts.empty())
    reader.error("targets", "is empty: name at least one target, as provider/model");
  for (std::size_t i = 0; i < texts.size(); ++i) read_target(reader, i, texts[i], providers, settings, into);
  const std::size_t errors = reader.shared().errors;
  read_race(reader, into.race);
  read_limit_settings(reader, into.limits);
  const bool is_doubtful = reader.shared().is_race_doubtful || reader.has_unknown() || reader.shared().errors > errors;
  warn_of_idle_settings(reader, into);
  check_policy(reader, name, is_doubtful ? race_section::doubtful : race_section::right, into);
  return into;
}

void add_route(route made, config& into) {
  into.route_order.push_back(made.name);
  into.routes.emplace(made.name, std::move(made));
}

}  // namespace

void read_routes(const section_reader& top, config& into) {
  const yaml_node* map = top.find("routes");
  if (!map || map->kind == yaml_kind::null) return;
  if (map->kind != yaml_kind::map)
    return top.error("routes", "must be a map, as in {fast: {targets: [groq/model]}}, not " + describe(*map));
  const declared providers = declared_providers(top);
  for (const yaml_member& entry : map->members) {
    check_route_name(top.shared(), entry, providers);
    const section_reader reader(top.shared(), entry.value, section::route);
    if (entry.value.kind == yaml_kind::map || entry.value.kind == yaml_kind::null)
      add_route(read_route(reader, entry.key, providers, into), into);
  }
}

}  // namespace photofinish::gateway
