#include "gateway/audit/config_differences.hpp"

#include "gateway/config/sources/instance.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace photofinish::gateway {
namespace {

using names = std::vector<std::string>;

template <class Value>
void note(std::string_view name, const Value& before, const Value& after, names& into) {
  if (!(before == after)) into.emplace_back(name);
}

template <auto member>
void note_whole(std::string_view name, const config& before, const config& after, names& into) {
  note(name, before.*member, after.*member, into);
}

template <auto member, auto part>
void note_part(std::string_view name, const config& before, const config& after, names& into) {
  note(name, before.*member.*part, after.*member.*part, into);
}

// Of a map, each entry by its name.
template <auto member>
void note_each(std::string_view section, const config& before, const config& after, names& into) {
  const auto& old_entries = before.*member;
  const auto& new_entries = after.*member;
  std::set<std::string> all;
  for (const auto& [name, value] : old_entries) all.insert(name);
  for (const auto& [name, value] : new_entries) all.insert(name);
  for (const std::string& name : all) {
    const auto was = old_entries.find(name);
    const auto is = new_entries.find(name);
    if (was == old_entries.end() || is == new_entries.end() || !(was->second == is->second))
      into.push_back(std::string(section) + "." + name);
  }
}

std::set<std::pair<std::string, std::string>> aliases_of(const config& settings) {
  std::set<std::pair<std::string, std::string>> all;
  for (const auto& [alias, route] : settings.aliases.names()) all.emplace(alias, route);
  for (const alias_pattern& each : settings.aliases.patterns()) all.emplace(each.text, each.route);
  return all;
}

// The aliases of a route are not in its struct.
void note_routes(std::string_view section, const config& before, const config& after, names& into) {
  names changed;
  note_each<&config::routes>(section, before, after, changed);
  std::set<std::string> all(changed.begin(), changed.end());
  const auto was = aliases_of(before), is = aliases_of(after);
  for (const auto& [alias, route] : was)
    if (!is.contains({alias, route})) all.insert(std::string(section) + "." + route);
  for (const auto& [alias, route] : is)
    if (!was.contains({alias, route})) all.insert(std::string(section) + "." + route);
  into.insert(into.end(), all.begin(), all.end());
}

struct compared_setting {
  std::string_view name;
  void (*note)(std::string_view name, const config& before, const config& after, names& into);
};

// A line of the log names them in this order.
constexpr compared_setting compared[] = {
    {"listen", note_whole<&config::listen>},
    {"admin", note_whole<&config::admin>},
    {"tls", note_part<&config::front, &front_settings::tls>},
    {"allow_from", note_part<&config::front, &front_settings::allow_from>},
    {"proxy_protocol", note_part<&config::front, &front_settings::proxy_protocol>},
    {"trusted_proxies", note_part<&config::front, &front_settings::trusted_proxies>},
    {"workers", note_whole<&config::workers>},
    {"sealed_keys",
     [](std::string_view name, const config& was, const config& is, names& into) {
       note(name, std::tie(was.sealed_keys.secrets, was.sealed_keys.audience),
            std::tie(is.sealed_keys.secrets, is.sealed_keys.audience), into);
     }},
    {"jwt", note_whole<&config::jwt>},
    {"key_defaults", note_whole<&config::key_defaults>},
    {"budget_timezone", note_whole<&config::budget_timezone>},
    {"teams", note_each<&config::teams>},
    {"cors_origins", note_whole<&config::cors_origins>},
    {"allowed_hosts", note_whole<&config::allowed_hosts>},
    {"metrics_for_admins", note_whole<&config::metrics_for_admins>},
    {"open_metrics", note_whole<&config::open_metrics>},
    {"metrics", note_whole<&config::has_client_label>},
    {"page", note_whole<&config::page>},
    {"open", note_whole<&config::open>},
    {"allow_emptying", note_whole<&config::allow_emptying>},
    {"share_keys", note_whole<&config::share_keys>},
    {"proxy", note_whole<&config::forward_proxy>},
    {"half_close", note_whole<&config::client_half_close>},
    {"limits", note_whole<&config::limits>},
    {"drain_delay", note_whole<&config::drain_delay>},
    {"drain_timeout", note_whole<&config::drain_timeout>},
    {"log_level", note_whole<&config::log_level>},
    {"log_format", note_whole<&config::log_format>},
    {"state_dir", note_whole<&config::state_dir>},
    {"region", note_whole<&config::region>},
    {"id_secret", note_whole<&config::id_secret>},
    {"alerts", note_whole<&config::alerts>},
    {"audit_log", note_whole<&config::audit_file>},
    {"guardrails", note_whole<&config::guardrails>},
    {"content_log", note_whole<&config::content_log>},
    {"redis", note_whole<&config::store>},
    {"tracing", note_whole<&config::tracing>},
    {"instance",
     [](std::string_view name, const config& was, const config& is, names& into) {
       note(name, instance_name(was), instance_name(is), into);
     }},
    {"probes", note_whole<&config::probes>},
    {"providers", note_each<&config::providers>},
    {"race", note_whole<&config::race>},
    {"routes", note_routes},
    {"tasks", note_whole<&config::tasks>},
    {"projects", note_whole<&config::projects>},
};

std::map<std::string, const access_key*> by_name(const access_key_list& keys) {
  std::map<std::string, const access_key*> found;
  for (const access_key& each : keys) found.emplace(each.name, &each);
  return found;
}

void note_change(const access_key& was, const access_key& is, std::vector<key_change>& into) {
  const auto note = [&](std::string_view what) { into.push_back({what, is.name, is.team}); };
  if (was.is_blocked != is.is_blocked) note(is.is_blocked ? "blocked" : "unblocked");
  if (!(was.key == is.key) || was.hashes != is.hashes || was.cert_subject != is.cert_subject) note("secret");
  if (was.expires != is.expires) note("expiry");
  const bool has_other_rights = was.routes != is.routes || was.team != is.team || was.is_admin != is.is_admin ||
                                !(was.limits == is.limits) || was.by_route != is.by_route;
  if (has_other_rights) note("rights");
}

}  // namespace

std::vector<std::string> changed_settings(const config& before, const config& after) {
  std::vector<std::string> changed;
  for (const compared_setting& each : compared) each.note(each.name, before, after, changed);
  return changed;
}

std::vector<std::string_view> compared_settings() {
  std::vector<std::string_view> all;
  for (const compared_setting& each : compared) all.push_back(each.name);
  return all;
}

std::vector<key_change> changed_keys(const config& before, const config& after) {
  std::vector<key_change> changes;
  const auto was = by_name(before.access_keys), is = by_name(after.access_keys);
  std::set<std::string> names;
  for (const auto& [name, key] : was) names.insert(name);
  for (const auto& [name, key] : is) names.insert(name);
  for (const std::string& name : names) {
    const auto old = was.find(name), now = is.find(name);
    if (old == was.end()) changes.push_back({"added", name, now->second->team});
    else if (now == is.end()) changes.push_back({"removed", name, old->second->team});
    else note_change(*old->second, *now->second, changes);
  }
  for (const std::string& id : after.sealed_keys.revoked)
    if (!before.sealed_keys.revoked.contains(id)) changes.push_back({"blocked", id, {}});
  for (const std::string& id : before.sealed_keys.revoked)
    if (!after.sealed_keys.revoked.contains(id)) changes.push_back({"unblocked", id, {}});
  return changes;
}

}  // namespace photofinish::gateway
