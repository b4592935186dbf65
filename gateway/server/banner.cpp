#include "gateway/server/banner.hpp"

#include "gateway/config/change/name_changes.hpp"
#include "gateway/config/sources/instance.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/http/listen_address.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway {
namespace {

std::string url(const listen_address& address, bool has_tls) {
  return (has_tls ? "https://" : "http://") + to_string(address);
}

std::string describe(const proxy::provider& provider) {
  const bool is_default_port = provider.url.port == (provider.url.is_tls ? 443 : 80);
  std::string text = (provider.url.is_tls ? "https://" : "http://") + provider.url.host;
  if (!is_default_port) text += ":" + std::to_string(provider.url.port);
  if (provider.key.auth == proxy::auth_style::none) return text + "  no key";
  if (!provider.key.value.empty()) return text + "  key configured";
  if (provider.key.credentials) return text + "  credentials renewed automatically";
  return text + (provider.key.is_optional ? "  key optional" : "  callers' own keys only");
}

// Returns the maximum number of providers that may charge for one request.
std::size_t paid_at_most(const route& each) {
  return std::min(each.targets.size(), each.race.max_attempts.value_or(each.targets.size()));
}

// Rounds to tenths of a per cent. Omits a zero after the decimal point: "10 %", "2.5 %".
std::string percent(double share) {
  const auto tenths = std::llround(share * 1'000);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " %";
}

std::string payment(const route& each) {
  const bool is_adaptive = each.race.policy == racing::race_policy::adaptive && paid_at_most(each) > 1;
  if (is_adaptive && each.race.max_extra_cost > 0)
    return "pays one provider per request and at most " + percent(each.race.max_extra_cost) +
           " more for losing attempts";
  if (is_adaptive) return "pays one provider per request, and another provider if the first provider fails or stays "
                          "silent";
  return "pays up to " + std::to_string(paid_at_most(each)) + (paid_at_most(each) == 1 ? " provider" : " providers") +
         " per request";
}

std::string describe(const route& each) {
  std::string text = policy_text(each) + ", " + payment(each) + ": ";
  for (std::size_t index = 0; index < each.targets.size(); ++index)
    text += (index > 0 ? ", " : "") + each.targets[index].text();
  return text;
}

// Returns the routes in the order of the configuration file. Routes that the file does not name come last.
std::vector<const route*> routes_in_order(const config& settings) {
  std::vector<const route*> found;
  for (const std::string& name : settings.route_order)
    if (const auto at = settings.routes.find(name); at != settings.routes.end()) found.push_back(&at->second);
  for (const auto& [name, each] : settings.routes)
    if (std::find(found.begin(), found.end(), &each) == found.end()) found.push_back(&each);
  return found;
}

// True if a caller without provider keys of its own can get an answer from the route.
bool is_alive(const config& settings, const route& each) {
  return std::any_of(each.targets.begin(), each.targets.end(), [&](const target_name& target) {
    const auto provider = settings.providers.find(target.provider);
    return provider != settings.providers.end() &&
           (provider->second.has_own_key() || provider->second.key.is_optional);
  });
}

// Returns a model that clients can request by its own name. The banner needs such a model if the configuration has no
// routes.
std::string first_model(const config& settings) {
  for (const auto& [name, provider] : settings.providers)
    if (!provider.models.empty()) return name + "/" + (provider.models[0] == "*" ? "MODEL" : provider.models[0]);
  return "PROVIDER/MODEL";
}

std::string model_to_try(const config& settings) {
  const auto routes = routes_in_order(settings);
  for (const route* each : routes)
    if (is_alive(settings, *each)) return each->name;
  return routes.empty() ? first_model(settings) : routes[0]->name;
}

bool lists_models(const config& settings) {
  return std::any_of(settings.providers.begin(), settings.providers.end(),
                     [](const auto& entry) { return !entry.second.models.empty() || entry.second.key.is_optional; });
}

template <class Map>
std::size_t widest(const Map& map) {
  std::size_t width = 0;
  for (const auto& [name, value] : map) width = std::max(width, name.size());
  return width;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

}  // namespace

std::string banner(const config& settings, const std::string& version, const std::string& from,
                   const std::vector<listen_address>& addresses, const std::optional<listen_address>& admin) {
  std::string text = "photofinish " + version + "\nconfiguration: " + from +
                     "\ninstance: " + instance_name(settings) + "\nproviders:\n";
  const std::size_t provider_width = widest(settings.providers), route_width = widest(settings.routes);
  for (const auto& [name, provider] : settings.providers)
    text += "  " + padded(name, provider_width) + "  " + describe(provider) + "\n";
  text += "routes:\n";
  for (const route* each : routes_in_order(settings))
    text += "  " + padded(each->name, route_width) + "  " + describe(*each) + "\n";
  if (settings.routes.empty())
    text += lists_models(settings) ? "  none: name a target as provider/model\n"
                                   : "  none, and no provider lists models: the gateway serves only callers with their "
                                     "own provider keys\n";
  const bool has_tls = settings.server.ingress.tls.has_value();
  text += "listening on";
  for (const listen_address& address : addresses) text += " " + url(address, has_tls);
  if (admin) text += "\nmetrics and probes on " + url(*admin, has_tls && settings.server.ingress.tls->covers_admin);
  else if (settings.asks_for_keys() && settings.views.metrics_for_admins)
    text += "\n/metrics requires an access key with admin: true";
  else if (settings.asks_for_keys() && !settings.views.open_metrics) text += "\n/metrics also requires an access key";
  const std::string model = model_to_try(settings);
  text += "\n\ntry it:\n  curl -N " + url(addresses.front(), has_tls) +
          "/v1/chat/completions -H 'content-type: application/json'";
  if (settings.asks_for_keys()) text += " -H 'authorization: Bearer YOUR_ACCESS_KEY'";
  return text + " \\\n    -d '{\"model\":\"" + model +
         "\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Say hello\"}]}'\n\n";
}

std::string started_text(const config& settings, const std::string& version, const std::string& from,
                         const std::string& hash, const std::vector<listen_address>& addresses,
                         const std::optional<listen_address>& admin) {
  const bool has_tls = settings.server.ingress.tls.has_value();
  std::string text = "started: photofinish " + version + "; configuration: " + from + "; " + counts_text(settings) +
                     hash_text(hash) + "; listening on";
  for (const listen_address& address : addresses) text += " " + url(address, has_tls);
  if (admin) text += "; metrics and probes on " + url(*admin, has_tls && settings.server.ingress.tls->covers_admin);
  return text;
}

std::string hash_text(const std::string& hash) { return hash.empty() ? hash : "; hash " + hash; }

}  // namespace photofinish::gateway
