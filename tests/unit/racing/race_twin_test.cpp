// Tests twins, which are second attempts at the first target. Also tests losing attempts that may finish the prefill of the prompt.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using commands = std::vector<race_command>;

constexpr instant began{2h};

race_plan plan_with_twin() {
  race_plan plan;
  plan.policy = race_policy::adaptive;
  plan.target_count = 2;
  plan.max_attempts = 3;
  plan.hedge_count = 1;
  plan.hedge_after = {200ms};
  plan.is_hedge_twin = true;
  return plan;
}

race_plan plan_with_prefill(std::uint64_t targets) {
  race_plan plan = plan_with_twin();
  plan.is_hedge_twin = false;
  plan.max_attempts = 2;
  plan.finishes_prefill = targets;
  return plan;
}

template <class Command>
std::vector<Command> all_of(const commands& given) {
  std::vector<Command> all;
  for (const auto& each : given)
    if (auto* found = std::get_if<Command>(&each)) all.push_back(*found);
  return all;
}

void start_hedge(race& game) {
  game.on(race_begun{}, began);
  game.on(alarm_struck{}, began + 200ms);
  game.on(spending_answered{1, true}, began + 200ms);
}

TEST(RaceTwin, AHedgeMayBeASecondAttemptAtTheFirstTarget) {
  race game(plan_with_twin());
  game.on(race_begun{}, began);
  const auto asked = all_of<ask_to_spend>(game.on(alarm_struck{}, began + 200ms));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].target, 0u);
  const auto twin = all_of<start_attempt>(game.on(spending_answered{1, true}, began + 200ms));
  ASSERT_EQ(twin.size(), 1u);
  EXPECT_EQ(twin[0].attempt, 1u);
  EXPECT_EQ(twin[0].target, 0u);
  EXPECT_EQ(twin[0].why, start_reason::twin);
  const auto next = all_of<start_attempt>(game.on(attempt_failed{1}, began + 300ms));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].attempt, 2u);
  EXPECT_EQ(next[0].target, 1u);
  EXPECT_EQ(next[0].why, start_reason::failure);
}

TEST(RaceTwin, AFailedTargetGetsNoTwin) {
  race game(plan_with_twin());
  game.on(race_begun{}, began);
  const auto next = all_of<start_attempt>(game.on(attempt_failed{0}, began + 100ms));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].target, 1u);
  EXPECT_TRUE(all_of<ask_to_spend>(game.on(alarm_struck{}, began + 300ms)).empty());
  EXPECT_EQ(all_of<give_up>(game.on(attempt_failed{1}, began + 400ms)).size(), 1u);
}

TEST(RaceTwin, TheFirstRescueMayBeATwinAndTheNextOneIsNot) {
  race_plan plan = plan_with_twin();
  plan.hedge_count = 0;
  plan.is_hedge_twin = false;
  plan.is_rescue_twin = true;
  plan.rescue_after = 3s;
  race game(plan);
  game.on(race_begun{}, began);
  const auto first = all_of<start_attempt>(game.on(alarm_struck{}, began + 3s));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].target, 0u);
  EXPECT_EQ(first[0].why, start_reason::rescue);
  const auto second = all_of<start_attempt>(game.on(alarm_struck{}, began + 6s));
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].target, 1u);
}

// Both attempts at the first target hang, so the next target starts earlier than usual.
TEST(RaceTwin, ASilentTwinRescueIsFollowedSooner) {
  race_plan plan = plan_with_twin();
  plan.hedge_count = 0;
  plan.is_hedge_twin = false;
  plan.is_rescue_twin = true;
  plan.rescue_after = 8s;
  race game(plan);
  game.on(race_begun{}, t0);
  const auto wakes = all_of<wake_at>(game.on(alarm_struck{}, t0 + 8s));
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].when, t0 + 10s);
  EXPECT_TRUE(all_of<start_attempt>(game.on(alarm_struck{}, t0 + 9'900ms)).empty());
  const auto next = all_of<start_attempt>(game.on(alarm_struck{}, t0 + 10s));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].target, 1u);
  EXPECT_EQ(next[0].why, start_reason::rescue);
}

TEST(RaceTwin, ATwinCountsAsOneOfMaxAttempts) {
  race_plan plan = plan_with_twin();
  plan.max_attempts = 2;
  race game(plan);
  start_hedge(game);
  EXPECT_TRUE(all_of<start_attempt>(game.on(attempt_failed{0}, began + 300ms)).empty());
}

TEST(RacePrefill, AColdLoserRunsToItsFirstToken) {
  race game(plan_with_prefill(2));
  start_hedge(game);
  const auto decided = game.on(token_came{0}, began + 250ms);
  const auto observed = all_of<observe_attempt>(decided);
  ASSERT_EQ(observed.size(), 1u);
  EXPECT_EQ(observed[0].attempt, 1u);
  EXPECT_TRUE(observed[0].is_prefill);
  EXPECT_TRUE(all_of<cancel_attempt>(decided).empty());
  EXPECT_FALSE(game.is_over());
  const auto ended = all_of<cancel_attempt>(game.on(token_came{1}, began + 2s));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].attempt, 1u);
  EXPECT_TRUE(game.is_over());
}

TEST(RacePrefill, EndsAfterItsLimit) {
  race game(plan_with_prefill(2));
  start_hedge(game);
  const auto wakes = all_of<wake_at>(game.on(token_came{0}, began + 250ms));
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].when, began + 250ms + prefill_limit);
  EXPECT_EQ(all_of<cancel_attempt>(game.on(alarm_struck{}, wakes[0].when)).size(), 1u);
  EXPECT_TRUE(game.is_over());
}

TEST(RacePrefill, EndsSoonAfterTheRequest) {
  race game(plan_with_prefill(2));
  start_hedge(game);
  game.on(token_came{0}, began + 250ms);
  game.on(request_ended{2s}, began + 1s);
  EXPECT_EQ(all_of<cancel_attempt>(game.on(alarm_struck{}, began + 3s)).size(), 1u);
}

TEST(RacePrefill, AWarmLoserIsCutImmediately) {
  race game(plan_with_prefill(1));
  start_hedge(game);
  EXPECT_EQ(all_of<cancel_attempt>(game.on(token_came{0}, began + 250ms)).size(), 1u);
  EXPECT_TRUE(game.is_over());
}

TEST(RacePrefill, TheWinnersTargetHasReadThePrompt) {
  race_plan plan = plan_with_twin();
  plan.finishes_prefill = 1;
  race game(plan);
  start_hedge(game);
  EXPECT_EQ(all_of<cancel_attempt>(game.on(token_came{1}, began + 250ms)).size(), 1u);
  EXPECT_TRUE(game.is_over());
}

TEST(RacePrefill, OfTwoTwinsOneIsEnough) {
  race_plan plan = plan_with_twin();
  plan.finishes_prefill = 1;
  plan.rescue_after = 1s;
  race game(plan);
  start_hedge(game);
  ASSERT_EQ(all_of<start_attempt>(game.on(alarm_struck{}, began + 1'200ms)).size(), 1u);
  const auto decided = game.on(token_came{2}, began + 2s);
  EXPECT_EQ(all_of<observe_attempt>(decided).size(), 1u);
  EXPECT_EQ(all_of<cancel_attempt>(decided).size(), 1u);
}

}  // namespace
}  // namespace photofinish::racing
