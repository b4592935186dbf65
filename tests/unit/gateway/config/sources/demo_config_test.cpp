// Tests the demo's configuration: the simulated providers of each race, and the policy of each route.
#include "gateway/config/sources/demo_config.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

config demo() {
  static const simulator::sim_ledger ledger(0);
  const auto provider = [](const std::string& name, bool has_prompt_cache) {
    return simulator::demo_provider{name, "http://127.0.0.1:7801/v1", ledger, has_prompt_cache};
  };
  return demo_config({provider("fast", false), provider("slow", false), provider("a", true), provider("b", true)});
}

std::vector<std::string> targets_of(const config& settings, const std::string& name) {
  std::vector<std::string> names;
  for (const target_name& each : settings.routes.at(name).targets) names.push_back(each.text());
  return names;
}

TEST(DemoConfig, ConversationsHaveTheProvidersWithPromptCaches) {
  const config settings = demo();
  EXPECT_EQ(settings.route_order, (std::vector<std::string>{"demo", "demo-finish", "demo-agent"}));
  EXPECT_EQ(targets_of(settings, "demo"), (std::vector<std::string>{"fast/sim-model", "slow/sim-model"}));
  EXPECT_EQ(targets_of(settings, "demo-finish"), targets_of(settings, "demo"));
  EXPECT_EQ(targets_of(settings, "demo-agent"), (std::vector<std::string>{"a/sim-model", "b/sim-model"}));
}

TEST(DemoConfig, ConversationsFollowTheAdaptivePolicyAndHavePrices) {
  const config settings = demo();
  EXPECT_EQ(settings.routes.at("demo").race.policy, racing::race_policy::all);
  EXPECT_EQ(settings.routes.at("demo-agent").race.policy, racing::race_policy::adaptive);
  EXPECT_TRUE(settings.providers.at("fast").prices.empty());
  const auto& prices = settings.providers.at("a").prices.at("sim-model");
  const proxy::price& now = prices.at({});
  EXPECT_EQ(now.input.usd, 3);
  ASSERT_TRUE(now.cached_input);
  EXPECT_EQ(now.cached_input->usd, 0.3);
}

}  // namespace
}  // namespace photofinish::gateway
