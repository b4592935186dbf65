#include "gateway/housekeeping/egress/egress_places.hpp"

#include <algorithm>
#include <set>

namespace photofinish::gateway {
namespace {

std::set<std::string> providers_of_routes(const config& settings) {
  std::set<std::string> names;
  for (const auto& [route_name, route] : settings.routes) {
    for (const target_name& each : route.targets) names.insert(each.provider);
    for (const route_rule& rule : route.rules)
      for (const target_name& each : rule.targets) names.insert(each.provider);
  }
  return names;
}

}  // namespace

std::vector<egress_place> egress_places(const config& settings) {
  const std::set<std::string> named = providers_of_routes(settings);
  std::vector<egress_place> places;
  for (const auto& [name, each] : settings.providers) {
    const bool has_key = each.has_own_key() || each.key.is_optional || each.key.auth == proxy::auth_style::none;
    if (named.empty() ? !has_key : !named.contains(name)) continue;
    egress_place place{each.url.host, each.url.port, each.url.is_tls, each.ca_file, each.via};
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(std::move(place));
    if (places.size() == most_egress_places) break;
  }
  return places;
}

}  // namespace photofinish::gateway
