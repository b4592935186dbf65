#include "tests/simulation/conversations/conversation_scenario.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace photofinish::racing {
namespace {

using providers = std::vector<caching_provider>;

constexpr double per_thousand = 1e-3, per_million = 1e-6;
constexpr double change_at = 500;

caching_provider with_speed(double base, double per_thousand_uncached, std::uint32_t vendor) {
  caching_provider made;
  made.speed.median = base;
  made.speed.stall_share = 0.02;
  made.speed.vendor = vendor;
  made.per_uncached = per_thousand_uncached * per_thousand;
  return made;
}

// Sets prices in the usual proportions to the price of input. Cached input costs one tenth of this price, input that is written to the
// cache costs 5/4, and output costs five times as much.
caching_provider priced(caching_provider each, double input) {
  each.input = input * per_million;
  each.read = 0.1 * each.input, each.write = 1.25 * each.input, each.output = 5 * each.input;
  return each;
}

providers vendors() { return {with_speed(0.9, 0.035, 0), with_speed(1.0, 0.040, 1), with_speed(1.2, 0.050, 2)}; }

providers hosts() {
  providers made{with_speed(0.45, 0.03, 0), with_speed(0.55, 0.025, 1), with_speed(0.7, 0.06, 2)};
  for (caching_provider& each : made) {
    each.input = each.write = 0.6e-6, each.read = 0.12e-6, each.output = 2.2e-6;
    each.cache = {.lives = 3'600, .mean_until_evicted = 1'200, .found = 0.8};
    each.reported = cache_report::late;
  }
  return made;
}

conversation_scenario named(std::string name, providers targets) {
  conversation_scenario made;
  made.name = std::move(name);
  made.providers = std::move(targets);
  return made;
}

conversation_scenario with_spell(std::string name, providers targets, spell first) {
  first.from = change_at;
  conversation_scenario made = named(std::move(name), std::move(targets));
  made.providers[0].speed.spells = {first};
  return made;
}

std::vector<conversation_scenario> changing_ones() {
  constexpr double minutes_5 = change_at + 300, minutes_10 = change_at + 600;
  std::vector<conversation_scenario> made;
  made.push_back(with_spell("slow-3x", vendors(), {.to = minutes_10, .factor = 3}));
  made.push_back(with_spell("slow-1.5x", vendors(), {.to = minutes_10, .factor = 1.5}));
  made.push_back(with_spell("hosts-slow", hosts(), {.to = minutes_10, .factor = 3}));
  made.push_back(with_spell("outage", vendors(), {.to = minutes_5, .hang_share = 1}));
  made.push_back(with_spell("errors", vendors(), {.to = minutes_5, .error_share = 1}));
  conversation_scenario& mixed = made.emplace_back(with_spell("mixed", vendors(), {.to = minutes_10, .factor = 3}));
  mixed.short_rate = 2;
  conversation_scenario& flapping = made.emplace_back(named("flapping", vendors()));
  for (double from = 180; from < flapping.seconds; from += 360)
    flapping.providers[0].speed.spells.push_back({.from = from, .to = from + 180, .factor = 3});
  return made;
}

std::vector<conversation_scenario> steady_ones() {
  std::vector<conversation_scenario> made{named("healthy", vendors()), named("hosts", hosts())};
  conversation_scenario& hang = made.emplace_back(named("hang-5", vendors()));
  hang.providers[0].speed.spells = {{.from = 0, .to = 1e9, .hang_share = 0.05}};
  conversation_scenario& heavy = made.emplace_back(named("heavy", vendors()));
  for (caching_provider& each : heavy.providers) each.speed.spread = 0.8, each.speed.stall_share = 0;
  conversation_scenario& limits = made.emplace_back(named("limits", vendors()));
  limits.providers[0].uncached_per_minute = 250'000;
  made.push_back(named("cheap-expensive", {priced(with_speed(1.0, 0.06, 0), 0.6), priced(with_speed(0.4, 0.012, 1), 2.4)}));
  conversation_scenario& pauses = made.emplace_back(named("ttl", vendors()));
  pauses.long_pause_share = 0.3;
  conversation_scenario& agents = made.emplace_back(named("sub-agents", vendors()));
  agents.sub_agent_share = 0.12;
  made.push_back(named("flat", {with_speed(0.60, 0.004, 0), with_speed(0.63, 0.004, 1), with_speed(0.66, 0.004, 2)}));
  conversation_scenario& silent = made.emplace_back(named("unreported", vendors()));
  for (caching_provider& each : silent.providers) each.reported = cache_report::never;
  return made;
}

}  // namespace

const std::vector<conversation_scenario>& conversation_scenarios() {
  static const std::vector<conversation_scenario> all = [] {
    std::vector<conversation_scenario> made = steady_ones();
    std::ranges::move(changing_ones(), std::back_inserter(made));
    return made;
  }();
  return all;
}

const conversation_scenario& find_conversation_scenario(std::string_view name) {
  for (const conversation_scenario& each : conversation_scenarios())
    if (each.name == name) return each;
  throw std::invalid_argument("unknown scenario " + std::string(name));
}

}  // namespace photofinish::racing
