#include "gateway/config/config_checks.hpp"

#include "gateway/http/listen_address.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace photofinish::gateway {

std::optional<std::string> exposure_problem(const config& settings) {
  if (settings.server.open || settings.asks_for_keys()) return std::nullopt;
  if (settings.server.ingress.tls && settings.server.ingress.tls->clients == client_auth::require) return std::nullopt;
  const auto keyed = std::find_if(settings.providers.begin(), settings.providers.end(),
                                  [](const auto& entry) { return entry.second.has_own_key(); });
  if (keyed == settings.providers.end()) return std::nullopt;
  for (const listen_address& address : settings.server.listen)
    if (!proxy::is_loopback(address.host))
      return to_string(address) +
             " accepts connections from other machines, so any client that connects can use the key of the provider '" +
             keyed->first + "': add `access_keys`, listen on loopback, or set `open: true`";
  return std::nullopt;
}

std::optional<std::string> short_keys_warning(const config& settings) {
  constexpr std::size_t long_enough = 16;
  const auto is_short = [](const access_key& each) {
    return !each.key.empty() && each.key.reveal().size() < long_enough;
  };
  const auto first = std::find_if(settings.access.keys.begin(), settings.access.keys.end(), is_short);
  if (first == settings.access.keys.end()) return std::nullopt;
  const auto is_beyond = [](const listen_address& each) { return !proxy::is_loopback(each.host); };
  const auto open = std::find_if(settings.server.listen.begin(), settings.server.listen.end(), is_beyond);
  if (open == settings.server.listen.end()) return std::nullopt;
  const auto others = std::count_if(std::next(first), settings.access.keys.end(), is_short);
  std::string text = "the access key '" + first->name + "'";
  if (others > 0) text += " and " + std::to_string(others) + " more have";
  else text += " has";
  return text + " fewer than 16 characters, so attackers could guess keys of this length at " + to_string(*open) +
         "; `photofinish keys new` makes safe keys";
}

std::optional<std::string> open_metrics_warning(const config& settings) {
  if (!settings.views.open_metrics || settings.server.admin || !settings.asks_for_keys()) return std::nullopt;
  for (const listen_address& address : settings.server.listen)
    if (!proxy::is_loopback(address.host))
      return "/metrics can be read at " + to_string(address) +
             " without a key, and it names clients, models and costs; set `admin` to give /metrics a separate address";
  return std::nullopt;
}

}  // namespace photofinish::gateway
