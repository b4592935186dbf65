// Tests how a race plan is made from a route, the request's overrides and the scoreboard.
#include "racing/planner.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant now{1h};

std::vector<candidate> three() { return {{"a/m"}, {"b/m"}, {"c/m"}}; }

race_settings hedged() {
  race_settings settings;
  settings.policy = race_policy::hedge;
  settings.hedge_delay = 300ms;
  return settings;
}

planned_race planned(const std::vector<candidate>& candidates, const race_settings& settings,
                     const plan_overrides& overrides = {}, const scoreboard& board = {}) {
  return std::get<planned_race>(make_plan(candidates, settings, overrides, board, now));
}

TEST(Planner, TakesEveryTargetInTheRoutesOrder) {
  EXPECT_EQ(planned(three(), hedged()).chosen, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Planner, SkipsTargetsWithoutAKeyOrWithAParameterTheyCannotHonour) {
  auto candidates = three();
  candidates[0].has_key = false;
  candidates[1].unsupported_param = "logprobs";
  const planned_race plan = planned(candidates, hedged());
  EXPECT_EQ(plan.chosen, (std::vector<std::size_t>{2}));
  ASSERT_EQ(plan.skipped.size(), 2u);
  EXPECT_EQ(plan.skipped[0].reason, skip_reason::no_key);
  EXPECT_EQ(plan.skipped[1].detail, "logprobs");
}

TEST(Planner, SkipsATargetWhoseFactsAreNotWhatIsRequiredEvenIfNoOtherIsLeft) {
  auto candidates = three();
  candidates[1].unmet = "quantization";
  const planned_race plan = planned(candidates, hedged());
  EXPECT_EQ(plan.chosen, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(plan.skipped.at(0).reason, skip_reason::required);
  EXPECT_EQ(plan.skipped.at(0).detail, "quantization");
  for (candidate& each : candidates) each.unmet = "tier";
  EXPECT_TRUE(planned(candidates, hedged()).chosen.empty());
}

TEST(Planner, SkipsATargetWithoutAPriceEvenIfNoOtherIsLeft) {
  auto candidates = three();
  candidates[1].unpriced = "priority";
  const planned_race plan = planned(candidates, hedged());
  EXPECT_EQ(plan.chosen, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(plan.skipped.at(0).reason, skip_reason::unpriced);
  EXPECT_EQ(plan.skipped.at(0).detail, "priority");
  EXPECT_EQ(to_string(skip_reason::unpriced), "unpriced");
  for (candidate& each : candidates) each.unpriced = "standard";
  EXPECT_TRUE(planned(candidates, hedged()).chosen.empty());
}

TEST(Planner, ATargetThatTheRequestIsTooLongForRunsWhenNoOtherIsLeft) {
  auto candidates = three();
  candidates[0].too_long = "context";
  const planned_race plan = planned(candidates, hedged());
  EXPECT_EQ(plan.chosen, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(plan.skipped.at(0).reason, skip_reason::too_long);
  scoreboard board;
  board.cools_until["b/m"] = now + 1s;
  candidates[2].too_long = "context";
  EXPECT_EQ(planned(candidates, hedged(), {}, board).chosen, (std::vector<std::size_t>{1})) << "before those it cools";
  candidates[1].too_long = "max_output";
  const planned_race none_fits = planned(candidates, hedged(), {}, board);
  EXPECT_EQ(none_fits.chosen, (std::vector<std::size_t>{0, 1, 2})) << "that is an estimate";
  EXPECT_TRUE(none_fits.skipped.empty());
}

TEST(Planner, SkipsATargetThatCoolsDown) {
  scoreboard board;
  board.cools_until["a/m"] = now + 1s;
  const planned_race plan = planned(three(), hedged(), {}, board);
  EXPECT_EQ(plan.chosen, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(plan.skipped.at(0).reason, skip_reason::cooldown);
}

TEST(Planner, RunsCoolingTargetsWhenNoOtherIsLeft) {
  scoreboard board;
  for (const char* id : {"a/m", "b/m", "c/m"}) board.cools_until[id] = now + 1s;
  const planned_race plan = planned(three(), hedged(), {}, board);
  EXPECT_EQ(plan.chosen.size(), 3u);
  EXPECT_TRUE(plan.skipped.empty());
}

TEST(Planner, ACooldownThatIsOverIsForgotten) {
  scoreboard board;
  board.cools_until["a/m"] = now;
  EXPECT_EQ(planned(three(), hedged(), {}, board).chosen.size(), 3u);
}

TEST(Planner, SharesTheRaceTimeoutOutInFallback) {
  race_settings settings = hedged();
  settings.policy = race_policy::fallback;
  settings.race_timeout = 30s;
  EXPECT_EQ(planned(three(), settings).plan.first_token_timeout, 10s);
}

TEST(Planner, OverridesMayLower) {
  plan_overrides overrides;
  overrides.policy = race_policy::fallback;
  overrides.max_parallel = 1;
  overrides.max_attempts = 2;
  const race_plan plan = planned(three(), hedged(), overrides).plan;
  EXPECT_EQ(plan.policy, race_policy::fallback);
  EXPECT_EQ(plan.max_parallel, 1u);
  EXPECT_EQ(plan.max_attempts, 2u);
}

struct costlier {
  const char* name;
  plan_overrides overrides;
  const char* header;
};
class ACostlierOverride : public ::testing::TestWithParam<costlier> {};
INSTANTIATE_TEST_SUITE_P(
    Planner, ACostlierOverride,
    ::testing::Values(costlier{"policy", {.policy = race_policy::all}, "x-race-policy"},
                      costlier{"hedge_delay", {.hedge_delay = 299ms}, "x-race-hedge-delay-ms"},
                      costlier{"max_parallel", {.max_parallel = 4}, "x-race-max-parallel"},
                      costlier{"max_attempts", {.max_attempts = 4}, "x-race-max-attempts"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ACostlierOverride, IsRefusedByItsHeadersName) {
  const auto made = make_plan(three(), hedged(), GetParam().overrides, {}, now);
  ASSERT_TRUE(std::holds_alternative<refused_override>(made));
  EXPECT_EQ(std::get<refused_override>(made).header, GetParam().header);
}

TEST(Planner, AnAutomaticDelayThatIsNotKnownYetIsNoLessThanTheRoutes) {
  race_settings automatic = hedged();
  automatic.is_hedge_delay_auto = true;
  const auto delay = [&](std::chrono::milliseconds asked) {
    return std::get<planned_race>(make_plan(three(), automatic, {.hedge_delay = asked}, {}, now)).plan.hedge_delay;
  };
  EXPECT_EQ(delay(0ms), 300ms);
  EXPECT_EQ(delay(500ms), 500ms);
}

TEST(Planner, SkipsATargetThatIsFull) {
  auto candidates = three();
  candidates[1].is_busy = true;
  const planned_race plan = planned(candidates, hedged());
  EXPECT_EQ(plan.chosen, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(plan.skipped.at(0).reason, skip_reason::busy);
  EXPECT_EQ(to_string(skip_reason::busy), "busy");
}

TEST(Planner, RunsNothingWhereEveryTargetIsFull) {
  auto candidates = three();
  for (candidate& each : candidates) each.is_busy = true;
  EXPECT_TRUE(planned(candidates, hedged()).chosen.empty());
}

TEST(Planner, WhatIsStoredRunsOneAttemptAtATime) {
  plan_overrides stored;
  stored.is_stored = true;
  const planned_race plan = planned(three(), hedged(), stored);
  EXPECT_EQ(plan.plan.policy, race_policy::fallback);
  EXPECT_EQ(plan.plan.max_parallel, 1u);
  // The policy `fallback` divides the time limit of a race among its targets.
  EXPECT_EQ(plan.plan.first_token_timeout, hedged().race_timeout / 3);
}

}  // namespace
}  // namespace photofinish::racing
