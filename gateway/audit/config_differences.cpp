#include "gateway/audit/config_differences.hpp"

#include "gateway/config/settings.hpp"
#include "gateway/config/sources/instance.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace photofinish::gateway {
namespace {

using names = std::vector<std::string>;

std::set<std::pair<std::string, std::string>> aliases_of(const config& settings) {
  std::set<std::pair<std::string, std::string>> all;
  for (const auto& [alias, route] : settings.names.aliases.names()) all.emplace(alias, route);
  for (const alias_pattern& each : settings.names.aliases.patterns()) all.emplace(each.text, each.route);
  return all;
}

// Compares two configurations and returns human-readable names of the differences. Values are not returned, because
// they may be secret.
void note_routes(const setting& row, const config& before, const config& after, names& into) {
  names changed;
  row.member.note_change(row.name, &before, &after, changed);
  std::set<std::string> all(changed.begin(), changed.end());
  const auto was = aliases_of(before), is = aliases_of(after);
  for (const auto& [alias, route] : was)
    if (!is.contains({alias, route})) all.insert(std::string(row.name) + "." + route);
  for (const auto& [alias, route] : is)
    if (!was.contains({alias, route})) all.insert(std::string(row.name) + "." + route);
  into.insert(into.end(), all.begin(), all.end());
}

// True if the settings for sealed keys differ. Revoked ids are not compared here, because they are reported as changes
// of keys.
bool has_other_sealed_keys(const config& was, const config& is) {
  return std::tie(was.access.sealed_keys.secrets, was.access.sealed_keys.audience) !=
         std::tie(is.access.sealed_keys.secrets, is.access.sealed_keys.audience);
}

void note_setting(const setting& row, const config& before, const config& after, names& into) {
  if (row.name == "routes") return note_routes(row, before, after, into);
  if (row.member.note_change) return row.member.note_change(row.name, &before, &after, into);
  const bool is_changed = (row.name == "sealed_keys" && has_other_sealed_keys(before, after)) ||
                          (row.name == "instance" && instance_name(before) != instance_name(after));
  if (is_changed) into.emplace_back(row.name);
}

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
  for (const setting& row : settings(section::top)) note_setting(row, before, after, changed);
  return changed;
}

std::vector<key_change> changed_keys(const config& before, const config& after) {
  std::vector<key_change> changes;
  const auto was = by_name(before.access.keys), is = by_name(after.access.keys);
  std::set<std::string> names;
  for (const auto& [name, key] : was) names.insert(name);
  for (const auto& [name, key] : is) names.insert(name);
  for (const std::string& name : names) {
    const auto old = was.find(name), now = is.find(name);
    if (old == was.end()) changes.push_back({"added", name, now->second->team});
    else if (now == is.end()) changes.push_back({"removed", name, old->second->team});
    else note_change(*old->second, *now->second, changes);
  }
  for (const std::string& id : after.access.sealed_keys.revoked)
    if (!before.access.sealed_keys.revoked.contains(id)) changes.push_back({"blocked", id, {}});
  for (const std::string& id : before.access.sealed_keys.revoked)
    if (!after.access.sealed_keys.revoked.contains(id)) changes.push_back({"unblocked", id, {}});
  return changes;
}

}  // namespace photofinish::gateway
