#include "gateway/config/sections/sections.hpp"
#include "gateway/config/sections/target_list.hpp"
#include "gateway/config/target_text.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

void check_route_name(reading& shared, const yaml_member& entry, const declared_providers& providers) {
  const std::string& name = entry.key;
  const auto refuse = [&](const std::string& why) {
    shared.error(entry.key_at, "route '" + name + "' " + why);
  };
  if (name.empty()) refuse("needs a name");
  if (name.find_first_of("/,") != std::string::npos)
    refuse("must not contain '/' or ',', which are reserved for targets and lists");
  if (name.starts_with('_')) refuse("must not begin with '_': the metrics reserve such names");
  if (!is_printable(name)) refuse("must not contain a space or a control character");
  if (providers.set.contains(name)) refuse("has the name of a provider: choose another name");
}

struct declared_names_of {
  const declared_providers& providers;
  std::set<std::string> routes;
};

// Returns the reason why the alias is invalid, or why the name in a request can never match it. Returns an empty text
// if the alias is valid.
std::string alias_problem(const std::string& alias, const declared_names_of& known) {
  const std::string quoted = "'" + alias + "' ";
  if (alias.size() > longest_alias)
    return "an alias must not be longer than " + std::to_string(longest_alias) + " bytes";
  if (alias.find(',') != std::string::npos) return quoted + "must not contain ',', which is reserved for lists";
  if (!is_printable(alias)) return quoted + "must not contain a space or a control character";
  if (known.routes.contains(alias)) return quoted + "is the name of a route, and routes have priority over aliases";
  const std::size_t slash = alias.find('/');
  if (slash != std::string::npos && known.providers.set.contains(alias.substr(0, slash)))
    return quoted + "names a target of the provider '" + alias.substr(0, slash) +
           "', and targets have priority over aliases";
  return {};
}

void read_aliases(const section_reader& reader, const std::string& route, const declared_names_of& known,
                  route_aliases& into) {
  std::vector<std::string> texts;
  reader.read("aliases", texts);
  for (std::size_t place = 0; place < texts.size(); ++place) {
    const auto refuse = [&](const std::string& why) {
      reader.shared().error(reader.find("aliases")->items[place].at, "aliases: " + why);
    };
    const std::string& alias = texts[place];
    if (const std::string problem = alias_problem(alias, known); !problem.empty()) refuse(problem);
    else if (const std::string* other = into.add(alias, route); other != nullptr)
      refuse("'" + alias + (*other == route ? "' is listed twice" : "' is also an alias of route '" + *other + "'"));
  }
}

enum class race_section { right, doubtful };

void check_policy(const section_reader& reader, const std::string& name, race_section race, route& into) {
  if (into.race.policy) return;
  if (race == race_section::right && reader.find("targets") && reader.find("targets")->items.size() > 1)
    reader.shared().error(reader.at(), "route '" + name +
                                           "' has several targets, so its race needs a policy (adaptive, hedge, all or "
                                           "fallback), here or in the default race");
  // If a route has only one target, all race policies behave in the same way.
  into.race.policy = racing::race_policy::fallback;
}

// Warns of a setting that the route's policy does not use. There is no warning for a setting that has its default
// value, or that `<<` copies from another place in the file.
void warn_of_idle(const section_reader& reader, const route& into, std::string_view name, const std::string& use) {
  const yaml_node* race = reader.find("race");
  for (const yaml_member& each : race->members)
    if (each.key == name && each.key_at.line >= race->at.line)
      reader.shared().warn(each.value.at, std::string(name) + ": with policy " +
                                              std::string(to_string(*into.race.policy)) + ", " + use);
}

void warn_of_idle_settings(const section_reader& reader, const route& into) {
  using racing::race_policy;
  const racing::race_settings usual;
  const racing::race_settings& race = into.race;
  if (!reader.find("race") || !race.policy) return;
  const bool has_delay = race.hedge_delay != usual.hedge_delay || race.is_hedge_delay_auto;
  if (has_delay && race.policy == race_policy::adaptive)
    warn_of_idle(reader, into, "hedge_delay", "the gateway itself chooses each hedge delay");
  else if (has_delay && race.policy != race_policy::hedge)
    warn_of_idle(reader, into, "hedge_delay", "only requests with x-race-policy: hedge use this setting");
  if (race.deadline && race.policy != race_policy::adaptive)
    warn_of_idle(reader, into, "deadline", "a deadline has an effect only with policy adaptive");
  if (race.keep_runner_up.count() > 0 && race.policy == race_policy::fallback)
    warn_of_idle(reader, into, "keep_runner_up", "only one target runs at a time, so there is no runner-up");
  if (race.max_extra_cost == usual.max_extra_cost || race.policy == race_policy::adaptive) return;
  const bool may_be_lowered = race.policy == race_policy::all || race.policy == race_policy::hedge;
  warn_of_idle(reader, into, "max_extra_cost",
               may_be_lowered ? "only requests with x-race-policy: adaptive use this setting"
                              : "this setting has no effect, because no second target starts before the first target "
                                "fails");
}

// Warns if a route has no other target that could continue a broken answer.
void warn_of_no_continuation(const section_reader& reader, const route& into, const config& settings) {
  const yaml_node* race = reader.find("race");
  if (race == nullptr || into.race.crawl.breaking != racing::on_break::continue_text) return;
  const auto takes_prefill = [&settings](const target_name& each) {
    const auto provider = settings.providers.find(each.provider);
    return provider != settings.providers.end() && provider->second.behaves.prefill != proxy::prefill_form::none;
  };
  const bool has_one = std::any_of(into.targets.begin(), into.targets.end(), takes_prefill);
  if (has_one && into.targets.size() > 1) return;
  for (const yaml_member& each : race->members)
    if (each.key == "on_break" && each.key_at.line >= race->at.line)
      reader.shared().warn(each.value.at,
                           has_one ? "on_break: this route has no other target that could continue an answer"
                                   : "on_break: no target can continue an answer, because none of the providers has "
                                     "`prefill`");
}

route read_route(const section_reader& reader, const std::string& name,
                 const declared_providers& providers, const config& settings) {
  route into{.name = name, .targets = {}, .race = settings.race};
  if (!reader.find("targets") && !reader.has_unknown())
    reader.shared().error(reader.at(), "route '" + name + "' needs targets");
  read_targets(reader, providers, settings, into.targets);
  read_require(reader, into.require);
  check_required(reader, "route '" + name + "'", into.targets, into.require, settings);
  const std::size_t errors = reader.shared().errors;
  read_race(reader, into.race);
  read_limit_settings(reader, into.limits);
  into.cache = read_cache(reader);
  const bool is_doubtful = reader.shared().is_race_doubtful || reader.has_unknown() || reader.shared().errors > errors;
  read_rules(reader, providers, settings, into);
  warn_of_idle_settings(reader, into);
  warn_of_no_continuation(reader, into, settings);
  check_policy(reader, name, is_doubtful ? race_section::doubtful : race_section::right, into);
  return into;
}

void add_route(route made, config& into) {
  into.route_order.push_back(made.name);
  into.routes.emplace(made.name, std::move(made));
}

}  // namespace

void read_routes(const section_reader& top, config& into) {
  const yaml_node* map = top.find_sections("routes", yaml_kind::map, "a map, as in {fast: {targets: [groq/model]}}");
  if (!map) return;
  const declared_providers providers(top);
  const std::vector<std::string> names = declared_names(top, "routes");
  const declared_names_of known{providers, {names.begin(), names.end()}};
  for (const yaml_member& entry : map->members) {
    check_route_name(top.shared(), entry, providers);
    const section_reader reader(top.shared(), entry.value, section::route);
    if (entry.value.kind != yaml_kind::map && entry.value.kind != yaml_kind::null) continue;
    add_route(read_route(reader, entry.key, providers, into), into);
    read_aliases(reader, entry.key, known, into.names.aliases);
  }
}

}  // namespace photofinish::gateway
