#include "gateway/banner.hpp"

#include "gateway/listen_address.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

std::string url(const listen_address& address) { return "http://" + to_string(address); }

std::string describe(const proxy::provider& provider) {
  const bool is_default_port = provider.url.port == (provider.url.is_tls ? 443 : 80);
  std::string text = (provider.url.is_tls ? "https://" : "http://") + provider.url.host;
  if (!is_default_port) text += ":" + std::to_string(provider.url.port);
  if (provider.auth == proxy::auth_style::none) return text + "  no key";
  if (!provider.api_key.empty()) return text + "  key configured";
  return text + (provider.key_optional ? "  key optional" : "  callers' own keys only");
}

// How many providers one request pays at most.
std::size_t paid_at_most(const route& each) {
  return std::min(each.targets.size(), each.race.max_attempts.value_or(each.targets.size()));
}

std::string describe(const route& each) {
  const racing::race_policy policy = each.race.policy.value_or(racing::race_policy::all);
  std::string text = std::string(to_string(policy)) + ", pays up to " + std::to_string(paid_at_most(each)) +
                     (paid_at_most(each) == 1 ? " provider" : " providers") + " per request: ";
  for (std::size_t index = 0; index < each.targets.size(); ++index)
    text += (index > 0 ? ", " : "") + each.targets[index].text();
  return text;
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

std::string banner(const config& settings, const std::string& from, const std::vector<listen_address>& addresses,
                   const std::optional<listen_address>& admin) {
  std::string text = "configuration: " + from + "\nproviders:\n";
  const std::size_t provider_width = widest(settings.providers), route_width = widest(settings.routes);
  for (const auto& [name, provider] : settings.providers)
    text += "  " + padded(name, provider_width) + "  " + describe(provider) + "\n";
  text += "routes:\n";
  for (const auto& [name, each] : settings.routes)
    text += "  " + padded(name, route_width) + "  " + describe(each) + "\n";
  if (settings.routes.empty()) text += "  none: call a target as provider/model\n";
  text += "listening on";
  for (const listen_address& address : addresses) text += " " + url(address);
  if (admin) text += "\nmetrics and probes on " + url(*admin);
  else if (!settings.access_keys.empty() && !settings.open_metrics) text += "\n/metrics asks for an access key, too";
  const std::string model = settings.routes.empty() ? "PROVIDER/MODEL" : settings.routes.begin()->first;
  text += "\n\ntry it:\n  curl -N " + url(addresses.front()) +
          "/v1/chat/completions -H 'content-type: application/json'";
  if (!settings.access_keys.empty()) text += " -H 'authorization: Bearer YOUR_ACCESS_KEY'";
  return text + " \\\n    -d '{\"model\":\"" + model +
         "\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Say hello\"}]}'\n\n";
}

}  // namespace photofinish::gateway
