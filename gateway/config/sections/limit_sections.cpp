// Reads the limits of keys, teams and routes.
#include "gateway/config/access/budget_zone.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/yaml/units.hpp"

#include <optional>
#include <string_view>

namespace photofinish::gateway {
namespace {

std::optional<budget_period> parse_period(std::string_view text) {
  if (text == "1mo") return budget_period{budget_unit::month};
  if (text == "1w") return budget_period{budget_unit::week};
  if (text == "1d") return budget_period{budget_unit::day};
  const auto length = parse_duration(text);
  if (!length || *length < std::chrono::minutes(1) || *length >= std::chrono::hours(24)) return std::nullopt;
  return budget_period{budget_unit::length, std::chrono::floor<std::chrono::seconds>(*length)};
}

void read_period(const section_reader& from, limit_settings& into) {
  std::string text;
  if (!from.read("budget_duration", text)) return;
  const auto period = parse_period(text);
  if (!period)
    return from.error("budget_duration", "must be 1mo, 1w, 1d, or a time from 1m to less than 24h, for example 5h");
  into.every = *period;
  into.every.zone = from.shared().budgets_in;
  if (into.budget_nano_usd == 0 && into.soft_budget_nano_usd == 0)
    from.warn("budget_duration", "has no effect without `max_budget` or `soft_budget`");
}

}  // namespace

void read_budget_zone(const section_reader& top, std::string& name) {
  if (!top.read("budget_timezone", name) || name == "UTC") return;
  top.shared().budgets_in = budget_zone::find(name);
  if (top.shared().budgets_in == nullptr)
    top.error("budget_timezone", "'" + name + "' is not in this machine's list of time zones: give a name such as "
                                              "Europe/Berlin, or install tzdata");
}

void read_limit_settings(const section_reader& from, limit_settings& into) {
  into.every.zone = from.shared().budgets_in;
  from.read_members(into);
  const bool is_soft = from.has_read("soft_budget");
  if (is_soft && into.budget_nano_usd > 0 && into.soft_budget_nano_usd >= into.budget_nano_usd)
    from.warn("soft_budget", "should be less than `max_budget`; otherwise requests are refused before the alert is "
                             "sent");
  read_period(from, into);
}

void read_teams(const section_reader& top, config& into) {
  const yaml_node* map = top.find_sections("teams", yaml_kind::map, "a map, as in {search: {rpm_limit: 600}}");
  if (!map) return;
  for (const yaml_member& entry : map->members) {
    const section_reader reader(top.shared(), entry.value, section::team);
    if (entry.key.empty() || entry.key.starts_with('_'))
      top.shared().error(entry.key_at,
                         "a team needs a name that does not begin with '_': the metrics reserve such names");
    limit_settings limits;
    read_limit_settings(reader, limits);
    into.access.teams.emplace(entry.key, limits);
    into.access.has_strict_team |= limits.unpriced == unpriced_use::refuse;
  }
}

}  // namespace photofinish::gateway
