// Tests how the figures in the live feed are written as JSON.
#include "gateway/page/live_figures.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

json read(const live_figures& figures) { return json::parse(figures_text(figures) + "}"); }

TEST(LiveFigures, ATargetHasItsCountsItsMoneyAndItsCooldown) {
  const proxy::price price{.input = {.usd = 0.15, .tiers = {}}, .output = {.usd = 0.6, .tiers = {}}};
  live_target target;
  target.name = "groq/m";
  target.in_flight = 3;
  target.outcomes[metrics::attempt_outcome::won] = 7;
  target.outcomes[metrics::attempt_outcome::failed] = 2;
  target.failures[metrics::attempt_reason::rate_limited] = 2;
  target.usd[metrics::cost_kind::loser] = 0.1 + 0.2;
  target.price = &price;
  target.cools_seconds = 4.5;
  target.is_limited = true;
  live_figures figures;
  figures.targets = {target};
  const json shown = read(figures).at("targets").at(0);
  EXPECT_EQ(shown.at("attempts"), json({{"won", 7}, {"failed", 2}}));
  EXPECT_EQ(shown.at("failures"), json({{"rate_limited", 2}}));
  EXPECT_EQ(shown.at("cost_usd").at("loser"), 0.3);
  EXPECT_EQ(shown.at("price_per_million"), json({{"input", 0.15}, {"output", 0.6}}));
  EXPECT_EQ(shown.at("cooldown"), json({{"seconds", 4.5}, {"limited", true}}));
}

TEST(LiveFigures, AnAdaptiveRouteHasItsBudget) {
  live_route route;
  route.name = "quick";
  route.policy = racing::race_policy::adaptive;
  route.adaptive.emplace().max_extra_cost = 0.1;
  route.adaptive->spent[metrics::currency::usd][metrics::spent_on::winner] = 2;
  route.adaptive->spent[metrics::currency::usd][metrics::spent_on::hedge] = 0.1;
  route.adaptive->starts[metrics::start_cause::hedge] = 4;
  route.adaptive->moves[metrics::move_reason::failing] = 3;
  route.adaptive->moves_usd = 0.4;
  live_figures figures;
  figures.routes = {route};
  const json shown = read(figures).at("routes").at(0);
  EXPECT_EQ(shown.at("policy"), "adaptive");
  EXPECT_EQ(shown.at("speculation").at("spent").at("usd").at("hedge"), 0.1);
  EXPECT_FALSE(shown.at("speculation").at("spent").contains("tokens")) << "nothing was counted in them";
  EXPECT_TRUE(shown.at("speculation").at("budget_fill").is_null());
  EXPECT_EQ(shown.at("speculation").at("moves"), json({{"failing", 3}}));
  EXPECT_EQ(shown.at("speculation").at("move_cost_usd"), 0.4);
}

TEST(LiveFigures, OfTooManyTargetsTheMostUsedAreShown) {
  live_figures figures;
  for (std::size_t number = 0; number < most_live_targets + 50; ++number) {
    live_target& each = figures.targets.emplace_back();
    each.name = "p/" + std::to_string(number);
    each.outcomes[metrics::attempt_outcome::won] = number;
  }
  bound(figures);
  ASSERT_EQ(figures.targets.size(), most_live_targets);
  EXPECT_EQ(figures.targets.front().name, "p/" + std::to_string(most_live_targets + 49));
}

TEST(LiveFigures, AnyBytesInANameAreValidJson) {
  live_figures figures;
  figures.targets.emplace_back().name = "a/\xff\"\n";
  EXPECT_TRUE(json::accept(figures_text(figures) + "}"));
}

}  // namespace
}  // namespace photofinish::gateway
