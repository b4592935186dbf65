#include "gateway/access/sealed_caller.hpp"

#include "gateway/access/caller_names.hpp"
#include "gateway/access/sealed_key.hpp"

#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

refusal refused(std::string why) { return {401, std::move(why), "invalid_api_key"}; }

// Explains why a sealed key is refused. Returns an empty text if it is accepted.
std::string problem_of(const sealed_claims& claims, const config& configured, std::chrono::sys_seconds now) {
  if (claims.audience != configured.access.sealed_keys.audience) return "this sealed key is for another gateway";
  if (claims.expires <= now) return "this sealed key has expired";
  if (configured.access.sealed_keys.revoked.contains(claims.id)) return "this sealed key is revoked";
  // The team must be configured. Otherwise no team limits would apply to the caller.
  if (!claims.team.empty() && !configured.access.teams.contains(claims.team))
    return "this sealed key names a team that this gateway does not have";
  for (const auto& [name, its] : claims.keys) {
    const auto provider = configured.providers.find(name);
    if (provider != configured.providers.end() && provider->second.url.host != its.host)
      return "this sealed key contains a key of provider '" + name + "' for a host that is not the configured host";
  }
  return {};
}

std::shared_ptr<const access_key> as_access_key(sealed_claims claims) {
  auto made = std::make_shared<access_key>();
  // The caller's name is unique. Names of configured keys cannot begin with '_', and subjects of other teams have
  // different names.
  made->name = caller_name("_sealed", claims.team, claims.subject);
  made->team = std::move(claims.team);
  made->routes = std::move(claims.routes);
  made->limits = claims.limits;
  return made;
}

}  // namespace

std::optional<std::variant<caller, refusal>> identify_sealed(presented_keys& presented, const config& configured,
                                                             std::chrono::sys_seconds now) {
  if (configured.access.sealed_keys.secrets.empty()) return std::nullopt;
  std::optional<std::string> text;
  for (auto* brought : {&presented.access_key, &presented.bearer}) {
    if (!*brought || !is_sealed_key((*brought)->reveal())) continue;
    if (!text) text = (*brought)->reveal();
    brought->reset();  // removes the key even if it is refused, so that no provider receives it
  }
  if (!text) return std::nullopt;
  auto claims = open_sealed_key(*text, configured.access.sealed_keys.secrets);
  if (!claims)
    return refused(
        "this sealed key cannot be opened here: the key was changed, or the configuration no longer has the secret "
        "that sealed it");
  if (const std::string problem = problem_of(*claims, configured, now); !problem.empty()) return refused(problem);
  for (auto& [provider, its] : claims->keys)
    if (configured.providers.contains(provider)) presented.by_provider.emplace(provider, std::move(its.key));
  const std::shared_ptr<const access_key> made = as_access_key(*std::move(claims));
  return caller{made.get(), made};
}

}  // namespace photofinish::gateway
