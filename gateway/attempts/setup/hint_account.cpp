#include "gateway/attempts/setup/hint_account.hpp"

#include "proxy/providers/url.hpp"

namespace photofinish::gateway {

std::string hint_account(const race_candidate& target) {
  const proxy::provider& provider = *target.provider;
  const bool is_fixed = target.key.source == key_source::own || provider.key.auth != proxy::auth_style::aws;
  if (is_fixed && !target.key.key.empty()) return target.key.key.reveal();
  std::string account = provider.name + " " + proxy::to_string(provider.url);
  if (!provider.key.credentials) return account;
  for (const proxy::credential_step& each : provider.key.credentials->steps)
    account.append(" ").append(each.tenant).append(" ").append(each.name);
  return account;
}

}  // namespace photofinish::gateway
