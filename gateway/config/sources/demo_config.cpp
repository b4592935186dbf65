#include "gateway/config/sources/demo_config.hpp"

#include "proxy/providers/url.hpp"

#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

// Prices of a large model for a simulated provider, so that the live page and receipts show what a cached token saves.
constexpr std::string_view agent_prices = "3/0.3/15";

proxy::provider simulated_provider(const simulator::demo_provider& simulated) {
  proxy::provider provider;
  provider.name = simulated.name;
  provider.url = proxy::parse_base_url(simulated.base_url).url.value();
  provider.key.auth = proxy::auth_style::none;
  provider.key.is_optional = true;
  provider.behaves.billing = proxy::cancel_billing::stops;
  if (simulated.has_prompt_cache) provider.prices.emplace("sim-model", proxy::parse_prices(agent_prices).value());
  return provider;
}

}  // namespace

config demo_config(const std::vector<simulator::demo_provider>& providers) {
  config settings;
  route demo{.name = "demo"};
  demo.race.policy = racing::race_policy::all;
  route agent{.name = "demo-agent"};
  agent.race.policy = racing::race_policy::adaptive;
  for (const simulator::demo_provider& each : providers) {
    settings.providers.emplace(each.name, simulated_provider(each));
    (each.has_prompt_cache ? agent : demo).targets.push_back({each.name, "sim-model"});
  }
  route finish = demo;
  finish.name = "demo-finish";
  finish.race.sort = racing::target_sort::finish;
  finish.race.wins = racing::win_on::finish;
  settings.route_order = {demo.name, finish.name, agent.name};
  settings.routes.emplace(demo.name, std::move(demo));
  settings.routes.emplace(finish.name, std::move(finish));
  settings.routes.emplace(agent.name, std::move(agent));
  return settings;
}

}  // namespace photofinish::gateway
