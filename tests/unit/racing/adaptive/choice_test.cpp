// Tests which target starts first, which target is the hedge, and when the hedge starts. The test sets the forecasts and the costs.
#include "tests/unit/racing/adaptive/choice_fixture.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

TEST(Choice, TheSoonestFirstTokenIsFirst) {
  EXPECT_EQ(planned_route({0.8, 0.4, 0.6}).choose().order[0], 1);
}

TEST(Choice, TheSoonestFinishIsFirstForLongAnswers) {
  planned_route route({0.15, 0.5});
  route.known[0].decode.mean = 1 / 80.0, route.known[1].decode.mean = 1 / 200.0;
  route.request.sort = target_sort::finish;
  route.request.output_tokens = 25;
  EXPECT_EQ(route.choose().order[0], 0);
  route.request.output_tokens = 900;
  EXPECT_EQ(route.choose().order[0], 1);
}

TEST(Choice, TheLeastTimePerTokenAtTheLoadThatRunsThereIsFirst) {
  planned_route route({0.2, 0.9});
  route.request.sort = target_sort::tps;
  route.known[0].decode = {0.01, 1, 0.002, 0.005, 1'000}, route.known[1].decode = {0.015, 1, 0, 0.005, 1'000};
  EXPECT_EQ(route.choose().order[0], 0);
  route.now[0].in_flight = 10;
  EXPECT_EQ(route.choose().order[0], 1);
}

TEST(Choice, ASlowSpeakerIsTriedAgainByFewRequestsAndByItself) {
  planned_route route({0.3, 0.4});
  route.request.sort = target_sort::finish;
  route.request.may_explore = true;
  route.known[0].decode = {0.05, 1, 0, 0.05, 1'000}, route.known[1].decode = {0.01, 1, 0, 0.01, 1'000};
  route.now[0].idle_seconds = 61;
  EXPECT_EQ(route.choose().order[0], 1) << "most requests do not try it";
  route.request.draw = 0.019;
  const adaptive_choice tried = route.choose();
  EXPECT_EQ(tried.order[0], 0);
  EXPECT_TRUE(tried.is_speed_trial);
  EXPECT_FALSE(tried.hedge_after) << "what a hedge wins says nothing of it";
  EXPECT_TRUE(tried.rescue_after);
  route.now[0].idle_seconds = 59;
  EXPECT_EQ(route.choose().order[0], 1) << "it was tried lately";
  route.now[0].idle_seconds = 1e6, route.known[0].error_share = 0.5;
  EXPECT_EQ(route.choose().order[0], 1) << "it fails";
  route.known[0].error_share = 0.005, route.request.sort = target_sort::ttft, route.known[0].level = 2;
  EXPECT_FALSE(route.choose().is_speed_trial) << "who goes by first tokens has trials for them";
}

TEST(Choice, TheListedAndTheCheapestOrderAreKeptUnlessATargetFails) {
  planned_route route({0.9, 0.4, 0.5});
  route.request.sort = target_sort::listed;
  EXPECT_EQ(route.choose().order[0], 0);
  route.known[0].error_share = 0.5;
  EXPECT_EQ(route.choose().order[0], 1);
  route.known[0].error_share = 0;
  route.request.sort = target_sort::cost;
  route.now[2].win_cost = 100;
  EXPECT_EQ(route.choose().order[0], 2);
}

TEST(Choice, AHedgeIsEarlierTheLessItCosts) {
  planned_route route({0.5, 0.55});
  route.request.price = 0;
  EXPECT_EQ(route.choose().hedge_after, 0);
  route.request.price = 0.5;
  const auto usual = route.choose();
  ASSERT_TRUE(usual.hedge_after);
  EXPECT_GT(*usual.hedge_after, 0.2);
  EXPECT_LE(usual.value, usual.value_unhedged);
  route.request.price = 1'000;
  EXPECT_FALSE(route.choose().hedge_after);
}

TEST(Choice, WithoutABudgetThereIsNoHedgeAndNoProbe) {
  planned_route route({0.5, 0.5});
  route.request.price = 0;
  route.request.may_hedge = false;
  route.request.may_explore = true;
  route.request.probe_stock = 1e9;
  route.now[1].idle_seconds = 1e6;
  EXPECT_FALSE(route.choose().hedge_after);
  EXPECT_FALSE(route.choose().probe);
  route.request.draw = 0;
  EXPECT_EQ(route.choose().order[0], 1) << "a hundredth begins with the stalest";
}

TEST(Choice, ATargetWithoutFiguresIsHedgedAtAFixedDelay) {
  planned_route route({0.5, 0.6});
  route.known[0].samples = 2;
  EXPECT_EQ(route.choose().hedge_after, 0.3);
}

TEST(Choice, AVendorsTwoTargetsAreWorthLessTogether) {
  planned_route route({0.5, 0.52});
  route.request.price = 0.25;
  const double apart = route.choose().value;
  route.same_vendor = true;
  EXPECT_GT(route.choose().value, apart);
}

TEST(Choice, AThirdAttemptIsPlannedWhereItIsCheap) {
  planned_route route({0.5, 0.52, 0.54});
  route.request.price = 0.01;
  route.request.may_hedge_twice = true;
  EXPECT_FALSE(route.choose().third_after);
  route.thirds = true;
  const auto made = route.choose();
  ASSERT_TRUE(made.third_after);
  EXPECT_GE(*made.third_after, *made.hedge_after);
  EXPECT_EQ(made.count, 3u);
}

TEST(Choice, WithoutHeadroomATargetIsFirstOnlyWhenTheOthersAreTwoSecondsSlower) {
  planned_route route({0.2, 0.5, 4});
  route.now[0].has_headroom = false;
  EXPECT_EQ(route.choose().order[0], 1);
  route.now[1].has_headroom = false;
  EXPECT_EQ(route.choose().order[0], 0);
}

TEST(Choice, ALongPromptGoesToWhoReadsFaster) {
  planned_route route({0.3, 0.6});
  route.known[0].rho = 0.5e-3;
  EXPECT_EQ(route.choose().order[0], 0);
  for (target_now& each : route.now) each.input_tokens = 8'000;
  EXPECT_EQ(route.choose().order[0], 1);
  route.now[0].input_tokens = 100;  // target 0 has cached all but 100 tokens of the prompt
  EXPECT_EQ(route.choose().order[0], 0);
}

TEST(Choice, CoolingTargetsSitOutUnlessAllDo) {
  planned_route route({0.2, 0.5});
  route.now[0].state = target_state::cooling;
  EXPECT_EQ(route.choose().order[0], 1);
  EXPECT_EQ(route.choose().count, 1u);
  route.now[1].state = target_state::limited;
  EXPECT_EQ(route.choose().count, 2u);
  route.now[0].state = target_state::out;
  EXPECT_EQ(route.choose().order[0], 1);
  route.now[1].state = target_state::out;
  EXPECT_EQ(route.choose().count, 0u);
}

TEST(Choice, AStaleOrCoolingTargetIsProbedFromTheStockAndALimitedOneIsNot) {
  planned_route route({0.4, 0.5});
  route.request.may_explore = true;
  route.request.probe_stock = 1'000;
  route.now[1].idle_seconds = 20;
  EXPECT_EQ(route.choose().probe, 1);
  EXPECT_EQ(route.choose().why_probe, probe_cause::stale);
  route.now[1].state = target_state::cooling;
  EXPECT_EQ(route.choose().probe, 1) << "its first token ends the cooldown";
  route.now[1].state = target_state::limited;
  EXPECT_FALSE(route.choose().probe);
  route.now[1].state = target_state::ready;
  route.request.probe_stock = 10;
  EXPECT_FALSE(route.choose().probe);
  route.known[1].surprise_down = 2;
  route.request.bucket = 1'000;
  EXPECT_EQ(route.choose().probe, 1);
  EXPECT_TRUE(route.choose().is_probe_from_bucket);
}

TEST(Choice, AProbeThatWouldWinTheRaceAndLoseTheFinishIsNotMade) {
  planned_route route({0.5, 0.2});
  route.request.may_explore = true;
  route.request.probe_stock = 1'000;
  route.request.sort = target_sort::finish;
  route.request.output_tokens = 900;
  route.known[0].decode.mean = 1 / 200.0, route.known[1].decode.mean = 1 / 80.0;
  route.now[1].idle_seconds = 100;
  ASSERT_EQ(route.choose().order[0], 0);
  EXPECT_FALSE(route.choose().probe);
}

TEST(Choice, TheRescueWaitsLongerWhereTheTargetIsSlow) {
  EXPECT_GE(*planned_route({0.3, 0.4}).choose().rescue_after, 2);
  EXPECT_GT(*planned_route({3, 4}).choose().rescue_after, *planned_route({0.3, 0.4}).choose().rescue_after);
}

TEST(Choice, OtherPoliciesTakeTheOrderAlone) {
  planned_route route({0.8, 0.4, 0.6});
  const auto sorted = route.order();
  EXPECT_EQ(sorted.order[0], 1);
  EXPECT_EQ(sorted.order[1], 2);
  EXPECT_EQ(sorted.order[2], 0);
  EXPECT_FALSE(sorted.hedge_after);
  route.request.sort = target_sort::listed;
  EXPECT_EQ(route.order().order[0], 0);
}

TEST(Choice, TheAutomaticDelayIsTheNinetyFifthPercentileOfThisPrompt) {
  planned_route route({0.5});
  const choice_table table = route.table();
  const double delay = automatic_delay(table, 0, route.now[0]);
  EXPECT_NEAR(table.rows()[0].known.shape.at(std::log(delay / 0.5)), 0.05, 0.01);
}

}  // namespace
}  // namespace photofinish::racing
