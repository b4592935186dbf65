#include "gateway/config/sources/demo_config.hpp"

#include "proxy/providers/url.hpp"

#include <utility>

namespace photofinish::gateway {

config demo_config(const std::vector<simulator::demo_provider>& providers) {
  config settings;
  route demo{.name = "demo"};
  demo.race.policy = racing::race_policy::all;
  for (const simulator::demo_provider& each : providers) {
    proxy::provider provider;
    provider.name = each.name;
    provider.url = proxy::parse_base_url(each.base_url).url.value();
    provider.key.auth = proxy::auth_style::none;
    provider.key.is_optional = true;
    provider.behaves.billing = proxy::cancel_billing::stops;
    settings.providers.emplace(each.name, std::move(provider));
    demo.targets.push_back({each.name, "sim-model"});
  }
  route finish = demo;
  finish.name = "demo-finish";
  finish.race.sort = racing::target_sort::finish;
  finish.race.wins = racing::win_on::finish;
  settings.route_order = {demo.name, finish.name};
  settings.routes.emplace(demo.name, std::move(demo));
  settings.routes.emplace(finish.name, std::move(finish));
  return settings;
}

}  // namespace photofinish::gateway
