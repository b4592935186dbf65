#include "gateway/audit/config_differences.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace photofinish::gateway {
namespace {

template <class Map>
void note_members(const std::string& section, const Map& before, const Map& after, std::vector<std::string>& into) {
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  for (const std::string& name : names) {
    const auto was = before.find(name);
    const auto is = after.find(name);
    if (was == before.end() || is == after.end() || !(was->second == is->second)) into.push_back(section + "." + name);
  }
}

std::map<std::string, const access_key*> by_name(const access_key_list& keys) {
  std::map<std::string, const access_key*> found;
  for (const access_key& each : keys) found.emplace(each.name, &each);
  return found;
}

void note_change(const access_key& was, const access_key& is, std::vector<key_change>& into) {
  const auto note = [&](std::string_view what) { into.push_back({what, is.name, is.team}); };
  if (was.is_blocked != is.is_blocked) note(is.is_blocked ? "blocked" : "unblocked");
  if (!(was.key == is.key) || was.hashes != is.hashes) note("secret");
  if (was.expires != is.expires) note("expiry");
  const bool has_other_rights = was.routes != is.routes || was.team != is.team || was.is_admin != is.is_admin ||
                                !(was.limits == is.limits) || was.by_route != is.by_route;
  if (has_other_rights) note("rights");
}

}  // namespace

std::vector<std::string> changed_settings(const config& before, const config& after) {
  std::vector<std::string> changed;
  const auto note = [&changed](const char* name, const auto& was, const auto& is) {
    if (!(was == is)) changed.emplace_back(name);
  };
  note("listen", before.listen, after.listen);
  note("admin", before.admin, after.admin);
  note("tls", before.front.tls, after.front.tls);
  note("allow_from", before.front.allow_from, after.front.allow_from);
  note("proxy_protocol", before.front.proxy_protocol, after.front.proxy_protocol);
  note("trusted_proxies", before.front.trusted_proxies, after.front.trusted_proxies);
  note("workers", before.workers, after.workers);
  note("sealed_keys", std::tie(before.sealed_keys.secrets, before.sealed_keys.audience),
       std::tie(after.sealed_keys.secrets, after.sealed_keys.audience));
  note("jwt", before.jwt, after.jwt);
  note("key_defaults", before.key_defaults, after.key_defaults);
  note_members("teams", before.teams, after.teams, changed);
  note("cors_origins", before.cors_origins, after.cors_origins);
  note("allowed_hosts", before.allowed_hosts, after.allowed_hosts);
  note("open_metrics", before.open_metrics, after.open_metrics);
  note("page", before.page, after.page);
  note("open", before.open, after.open);
  note("allow_emptying", before.allow_emptying, after.allow_emptying);
  note("share_keys", before.share_keys, after.share_keys);
  note("proxy", before.forward_proxy, after.forward_proxy);
  note("half_close", before.client_half_close, after.client_half_close);
  note("limits", before.limits, after.limits);
  note("drain_delay", before.drain_delay, after.drain_delay);
  note("drain_timeout", before.drain_timeout, after.drain_timeout);
  note("log_level", before.log_level, after.log_level);
  note("log_format", before.log_format, after.log_format);
  note("state_dir", before.state_dir, after.state_dir);
  note("id_secret", before.id_secret, after.id_secret);
  note("alerts", before.alerts, after.alerts);
  note("audit_log", before.audit_file, after.audit_file);
  note("guardrails", before.guardrails, after.guardrails);
  note("content_log", before.content_log, after.content_log);
  note("redis", before.store, after.store);
  note("tracing", before.tracing, after.tracing);
  note("probes", before.probes, after.probes);
  note_members("providers", before.providers, after.providers, changed);
  note("race", before.race, after.race);
  note_members("routes", before.routes, after.routes, changed);
  note("tasks", before.tasks, after.tasks);
  note("projects", before.projects, after.projects);
  return changed;
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
