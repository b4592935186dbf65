// Tests how several gateways' figures for the live page are written, parsed and added up.
#include "gateway/page/fleet_figures.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::gateway {
namespace {

using metrics::attempt_outcome;
using metrics::attempt_reason;

live_figures some_figures(std::uint64_t count) {
  live_figures figures;
  figures.gateway = "one";
  figures.requests = count;
  figures.requests_per_second = 1.5;
  figures.in_flight = 2;
  live_target& target = figures.targets.emplace_back();
  target.name = "groq/m";
  target.in_flight = 3;
  target.outcomes[attempt_outcome::won] = count;
  target.outcomes[attempt_outcome::failed] = 2;
  target.failures[attempt_reason::timeout] = 2;
  target.usd[metrics::cost_kind::winner] = 0.5;
  live_route& route = figures.routes.emplace_back();
  route.name = "fast";
  route.policy = racing::race_policy::adaptive;
  route.in_flight = 1;
  route.requests = count;
  route.adaptive.emplace().max_extra_cost = 0.1;
  route.adaptive->starts[metrics::start_cause::hedge] = 4;
  route.adaptive->moves[metrics::move_reason::slower] = 2;
  route.adaptive->moves_usd = 0.25;
  route.adaptive->spent[metrics::currency::usd][metrics::spent_on::winner] = 2;
  return figures;
}

TEST(FleetFigures, WhatOneGatewayWritesAnotherAdds) {
  const auto read = read_shared_figures(shared_figures_text(some_figures(7), 64u << 10));
  ASSERT_TRUE(read);
  live_figures sum = some_figures(10);
  add_figures(sum, *read);
  EXPECT_EQ(sum.requests, 17u);
  EXPECT_EQ(sum.requests_per_second, 3);
  EXPECT_EQ(sum.in_flight, 4);
  ASSERT_EQ(sum.targets.size(), 1u);
  EXPECT_EQ(sum.targets[0].in_flight, 6u);
  EXPECT_EQ(sum.targets[0].outcomes[attempt_outcome::won], 17u);
  EXPECT_EQ(sum.targets[0].failures[attempt_reason::timeout], 4u);
  EXPECT_EQ(sum.targets[0].usd[metrics::cost_kind::winner], 1);
  ASSERT_EQ(sum.routes.size(), 1u);
  EXPECT_EQ(sum.routes[0].requests, 17u);
  EXPECT_EQ(sum.routes[0].adaptive->starts[metrics::start_cause::hedge], 8u);
  EXPECT_EQ(sum.routes[0].adaptive->moves[metrics::move_reason::slower], 4u);
  EXPECT_EQ(sum.routes[0].adaptive->moves_usd, 0.5);
  EXPECT_EQ(sum.routes[0].adaptive->spent[metrics::currency::usd][metrics::spent_on::winner], 4);
}

TEST(FleetFigures, AnotherGatewaysFiguresAloneHaveNothingOfThisOne) {
  live_figures narrowed = without_counts(some_figures(10));
  add_figures(narrowed, *read_shared_figures(shared_figures_text(some_figures(7), 64u << 10)));
  EXPECT_EQ(narrowed.requests, 7u);
  EXPECT_EQ(narrowed.targets[0].outcomes[attempt_outcome::won], 7u);
  EXPECT_EQ(narrowed.routes[0].adaptive->max_extra_cost, 0.1);
  EXPECT_EQ(narrowed.routes[0].adaptive->starts[metrics::start_cause::hedge], 4u);
}

TEST(FleetFigures, ATargetThatThisGatewayLacksIsAdded) {
  live_figures sum;
  add_figures(sum, some_figures(7));
  ASSERT_EQ(sum.targets.size(), 1u);
  EXPECT_EQ(sum.targets[0].outcomes[attempt_outcome::won], 7u);
  EXPECT_TRUE(sum.routes.empty()) << "a route of another configuration";
}

TEST(FleetFigures, ATextHasItsBoundAndKeepsTheMostUsedTargets) {
  live_figures figures = some_figures(7);
  for (int each = 0; each < 200; ++each) {
    live_target& target = figures.targets.emplace_back();
    target.name = "p/" + std::to_string(each);
    target.outcomes[attempt_outcome::won] = static_cast<std::uint64_t>(each) * 10;
  }
  const std::string text = shared_figures_text(figures, 10'000);
  EXPECT_LE(text.size(), 10'000u);
  ASSERT_TRUE(read_shared_figures(text));
  EXPECT_EQ(read_shared_figures(text)->targets.at(0).name, "p/199");
}

TEST(FleetFigures, AStrangersTextIsRefusedOrBounded) {
  for (const char* text :
       {"", "no", "[]", "{}", R"({"object":"feed"})", R"({"object":"feed","targets":1,"routes":[]})"})
    EXPECT_FALSE(read_shared_figures(text)) << text;
  const auto odd = read_shared_figures(
      R"({"object":"feed","requests":{"total":-1,"per_second":1e300},"routes":[7,{}],)"
      R"("targets":[{"target":"a/m","attempts":{"won":18446744073709551615,"lost":"x"},"cost_usd":{"winner":-3}}]})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->requests, 0u);
  EXPECT_EQ(odd->requests_per_second, 1e15);
  ASSERT_EQ(odd->targets.size(), 1u);
  EXPECT_EQ(odd->targets[0].outcomes[attempt_outcome::won], std::uint64_t{1} << 53);
  EXPECT_EQ(odd->targets[0].usd[metrics::cost_kind::winner], 0);
}

}  // namespace
}  // namespace photofinish::gateway
