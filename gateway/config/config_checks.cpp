#include "gateway/config/config_checks.hpp"

#include "gateway/http/listen_address.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>

namespace photofinish::gateway {

std::optional<std::string> exposure_problem(const config& settings) {
  if (settings.open || settings.asks_for_keys()) return std::nullopt;
  if (settings.front.tls && settings.front.tls->clients == client_auth::require) return std::nullopt;
  const auto keyed = std::find_if(settings.providers.begin(), settings.providers.end(),
                                  [](const auto& entry) { return entry.second.has_own_key(); });
  if (keyed == settings.providers.end()) return std::nullopt;
  for (const listen_address& address : settings.listen)
    if (!proxy::is_loopback(address.host))
      return to_string(address) +
             " can be reached from other machines, and any client that reaches it can use the key of '" +
             keyed->first + "': add access_keys, listen on loopback, or set open: true";
  return std::nullopt;
}

std::optional<std::string> open_metrics_warning(const config& settings) {
  if (!settings.open_metrics || settings.admin || !settings.asks_for_keys()) return std::nullopt;
  for (const listen_address& address : settings.listen)
    if (!proxy::is_loopback(address.host))
      return "/metrics can be read at " + to_string(address) +
             " without a key: it names clients, models and costs; admin gives it an address of its own";
  return std::nullopt;
}

}  // namespace photofinish::gateway
