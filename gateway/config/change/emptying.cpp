#include "gateway/config/change/emptying.hpp"

#include "gateway/config/change/name_changes.hpp"

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

std::string all_of_them(std::size_t count, const std::string& noun) {
  return count == 1 ? "the only " + noun : "all " + std::to_string(count) + " " + noun + "s";
}

// Reports keys that have lost their `routes`. Such keys could use every route, and could also call targets directly.
void note_wider_keys(const config& running, const config& fresh, std::vector<std::string>& losses) {
  std::set<std::string_view> without_routes;
  for (const access_key& each : fresh.access.keys)
    if (each.routes.empty()) without_routes.insert(each.name);
  for (const access_key& before : running.access.keys)
    if (!before.routes.empty() && without_routes.contains(before.name))
      losses.push_back("the routes of the access key '" + before.name + "' (the key could then use every route)");
  for (const jwt_issuer& before : running.access.jwt)
    for (const jwt_issuer& after : fresh.access.jwt)
      if (after.issuer == before.issuer && after.routes_claim.empty() && !before.routes_claim.empty())
        losses.push_back("the routes_claim of '" + before.name + "' (callers of this issuer could then use every "
                                                                 "route)");
}

// Reports lost TLS and address settings. Without these settings, keys and prompts would travel unencrypted, or
// strangers would have access.
void note_wider_ingress(const ingress_settings& running, const ingress_settings& fresh,
                        std::vector<std::string>& losses) {
  if (running.tls && !fresh.tls) losses.push_back("tls (clients could then connect without TLS)");
  const bool was_required = running.tls && running.tls->clients == client_auth::require;
  if (was_required && fresh.tls && fresh.tls->clients != client_auth::require)
    losses.push_back("tls.client_auth: require (clients could then connect without a certificate)");
  if (!running.allow_from.empty() && fresh.allow_from.empty())
    losses.push_back("allow_from (any address could then connect)");
}

// Reports a loss if most of the names are gone, even if some are left. A file that was cut off at a line end still
// contains its first entries, but callers whose entries are missing would lose their access.
void note_mostly_gone(const name_changes& change, const std::string& effect, std::vector<std::string>& losses) {
  if (change.now > 0 && change.is_mostly_gone())
    losses.push_back(std::to_string(change.went.size()) + " of " + count_of_kind(change.before, change.kind) + " (" +
                     first_names(change.went) + effect + ")");
}

void note_gone(const name_changes& change, std::vector<std::string>& losses) {
  if (change.now == 0 && change.before > 0) losses.push_back(all_of_them(change.before, std::string(change.kind)));
  else note_mostly_gone(change, {}, losses);
}

bool has_store(const config& settings) { return !settings.store.url.empty(); }

// Leaves out removed keys that were blocked. A blocked key gave no access before, and operators block keys before they
// remove them.
name_changes without_blocked(name_changes change, const config& running) {
  std::set<std::string_view> blocked;
  for (const access_key& each : running.access.keys)
    if (each.is_blocked) blocked.insert(each.name);
  std::erase_if(change.went, [&blocked](const std::string& name) { return blocked.contains(name); });
  return change;
}

// Reports removed keys. If the same reload enables keys from the store, nothing is reported, because the keys may have
// moved to the store.
void note_gone_keys(const config& running, const config& fresh, const name_changes& keys,
                    std::vector<std::string>& losses) {
  if (fresh.store.has_access_keys && !running.store.has_access_keys) return;
  if (keys.now > 0 || keys.before == 0)
    return note_mostly_gone(without_blocked(keys, running), ": requests with these keys would then be refused",
                            losses);
  const char* effect = fresh.store.has_access_keys ? " (requests with these keys would then be refused)"
                                                   : " (callers would then need no key)";
  losses.push_back(all_of_them(keys.before, "access key") + effect);
}

// Reports the loss of the shared store. Without the store, each gateway would count separately, and clients could use
// each gateway's limits and budgets in full.
void note_lost_limits(const config& running, const config& fresh, std::vector<std::string>& losses) {
  if (has_store(running) && !has_store(fresh))
    losses.push_back("redis (each gateway would then count limits and budgets separately)");
  if (running.store.has_access_keys && !fresh.store.has_access_keys)
    losses.push_back("redis.access_keys (requests with keys from the store would then be refused)");
  if (running.access.key_defaults.is_limited() && !fresh.access.key_defaults.is_limited())
    losses.push_back("key_defaults (access keys without their own limits would then be unlimited)");
}

std::vector<std::string> losses_of(const config& running, const config& fresh) {
  std::vector<std::string> losses;
  const config_changes changes = changes_between(running, fresh);
  note_gone(changes.providers, losses);
  note_gone(changes.routes, losses);
  note_gone_keys(running, fresh, changes.access_keys, losses);
  note_gone(changes.teams, losses);
  note_lost_limits(running, fresh, losses);
  if (fresh.access.sealed_keys.secrets.empty() && !running.access.sealed_keys.secrets.empty())
    losses.push_back(all_of_them(running.access.sealed_keys.secrets.size(), "secret") + " of sealed_keys");
  if (fresh.access.jwt.empty() && !running.access.jwt.empty())
    losses.push_back(all_of_them(running.access.jwt.size(), "issuer") + " of jwt");
  if (fresh.guardrails.empty() && !running.guardrails.empty())
    losses.push_back(all_of_them(running.guardrails.size(), "guardrail") + " (prompts would then not be checked)");
  note_wider_ingress(running.server.ingress, fresh.server.ingress, losses);
  note_wider_keys(running, fresh, losses);
  return losses;
}

}  // namespace

std::optional<std::string> emptying_problem(const config& running, const config& fresh) {
  if (fresh.source.allow_emptying) return std::nullopt;
  const std::vector<std::string> losses = losses_of(running, fresh);
  if (losses.empty()) return std::nullopt;
  std::string text = "a reload must not remove the following: ";
  for (std::size_t i = 0; i < losses.size(); ++i) text += (i > 0 ? ", " : "") + losses[i];
  return text + ". Complete the file and reload again. If the removal is intended, add `allow_emptying: true` to the "
                "configuration";
}

}  // namespace photofinish::gateway
