#include "gateway/config/config_change.hpp"

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

std::string all_of_them(std::size_t count, const std::string& noun) {
  return count == 1 ? "the only " + noun : "all " + std::to_string(count) + " " + noun + "s";
}

// A key without `routes` may use every route and call targets directly.
void note_wider_keys(const config& running, const config& fresh, std::vector<std::string>& losses) {
  std::set<std::string_view> without_routes;
  for (const access_key& each : fresh.access_keys)
    if (each.routes.empty()) without_routes.insert(each.name);
  for (const access_key& before : running.access_keys)
    if (!before.routes.empty() && without_routes.contains(before.name))
      losses.push_back("the routes of the access key '" + before.name + "', which could then use every route");
  for (const jwt_issuer& before : running.jwt)
    for (const jwt_issuer& after : fresh.jwt)
      if (after.issuer == before.issuer && after.routes_claim.empty() && !before.routes_claim.empty())
        losses.push_back("the routes_claim of '" + before.name + "', whose callers could then use every route");
}

// Without them keys and prompts would travel in the open, or strangers would come in.
void note_wider_front(const front_settings& running, const front_settings& fresh, std::vector<std::string>& losses) {
  if (running.tls && !fresh.tls) losses.push_back("tls (clients would then be served without it)");
  const bool was_required = running.tls && running.tls->clients == client_auth::require;
  if (was_required && fresh.tls && fresh.tls->clients != client_auth::require)
    losses.push_back("tls.client_auth: require (clients without a certificate would then be served)");
  if (!running.allow_from.empty() && fresh.allow_from.empty())
    losses.push_back("allow_from (any address could then connect)");
}

std::vector<std::string> losses_of(const config& running, const config& fresh) {
  std::vector<std::string> losses;
  if (fresh.providers.empty() && !running.providers.empty())
    losses.push_back(all_of_them(running.providers.size(), "provider"));
  if (fresh.routes.empty() && !running.routes.empty()) losses.push_back(all_of_them(running.routes.size(), "route"));
  if (fresh.access_keys.empty() && !running.access_keys.empty() && !fresh.store.has_access_keys)
    losses.push_back(all_of_them(running.access_keys.size(), "access key") +
                     " (callers without a key would then be served)");
  if (running.store.has_access_keys && !fresh.store.has_access_keys)
    losses.push_back("redis.access_keys (keys that are in the store would then open nothing)");
  if (fresh.sealed_keys.secrets.empty() && !running.sealed_keys.secrets.empty())
    losses.push_back(all_of_them(running.sealed_keys.secrets.size(), "secret") + " of sealed_keys");
  if (fresh.jwt.empty() && !running.jwt.empty())
    losses.push_back(all_of_them(running.jwt.size(), "issuer") + " of jwt");
  if (fresh.guardrails.empty() && !running.guardrails.empty())
    losses.push_back(all_of_them(running.guardrails.size(), "guardrail") + " (no request would then be judged)");
  note_wider_front(running.front, fresh.front, losses);
  note_wider_keys(running, fresh, losses);
  return losses;
}

}  // namespace

std::optional<std::string> emptying_problem(const config& running, const config& fresh) {
  if (fresh.allow_emptying) return std::nullopt;
  const std::vector<std::string> losses = losses_of(running, fresh);
  if (losses.empty()) return std::nullopt;
  std::string text = "a reload must not remove ";
  for (std::size_t i = 0; i < losses.size(); ++i) text += (i > 0 ? ", " : "") + losses[i];
  return text + ": complete the file, or add `allow_emptying: true` to it if this is meant, and reload again";
}

}  // namespace photofinish::gateway
