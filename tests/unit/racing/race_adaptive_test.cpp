// Tests the rules of races whose plans depend on measured speeds: hedges that the budget must permit, rescue attempts, a probe, and a
// second round of attempts.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using commands = std::vector<race_command>;

constexpr instant t0{1h};

race_plan plan_of(std::size_t targets) {
  race_plan plan;
  plan.policy = race_policy::adaptive;
  plan.target_count = plan.max_attempts = targets;
  plan.max_parallel = 3;
  plan.race_timeout = plan.first_token_timeout = 60s;
  return plan;
}

std::vector<start_attempt> started(const commands& given) {
  std::vector<start_attempt> all;
  for (const auto& each : given)
    if (auto* start = std::get_if<start_attempt>(&each)) all.push_back(*start);
  return all;
}

bool asks(const commands& given) {
  for (const auto& each : given)
    if (std::get_if<ask_to_spend>(&each)) return true;
  return false;
}

instant wake_of(const commands& given) {
  instant when{};
  for (const auto& each : given)
    if (auto* wake = std::get_if<wake_at>(&each)) when = wake->when;
  return when;
}

TEST(RaceAdaptive, AHedgeStartsAtItsDelayOnceItIsGranted) {
  race_plan plan = plan_of(3);
  plan.hedge_count = 1;
  plan.hedge_after = {200ms};
  race game(plan);
  const auto begun = game.on(race_begun{}, t0);
  ASSERT_EQ(started(begun).size(), 1u);
  EXPECT_EQ(started(begun)[0].why, start_reason::first);
  EXPECT_EQ(wake_of(begun), t0 + 200ms);
  const auto due = game.on(alarm_struck{}, t0 + 200ms);
  EXPECT_TRUE(asks(due));
  EXPECT_TRUE(started(due).empty());
  const auto granted = started(game.on(spending_answered{1, true}, t0 + 200ms));
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted[0].why, start_reason::hedge);
}

TEST(RaceAdaptive, ADeniedHedgeAsksAgainAfterAPause) {
  race_plan plan = plan_of(2);
  plan.hedge_count = 1;
  plan.hedge_after = {200ms};
  race game(plan);
  game.on(race_begun{}, t0);
  game.on(alarm_struck{}, t0 + 200ms);
  const auto denied = game.on(spending_answered{1, false}, t0 + 200ms);
  EXPECT_TRUE(started(denied).empty());
  EXPECT_EQ(wake_of(denied), t0 + 200ms + start_schedule::asking_pause);
  EXPECT_TRUE(asks(game.on(alarm_struck{}, t0 + 200ms + start_schedule::asking_pause)));
}

TEST(RaceAdaptive, TwoHedgesStartAtTheirOwnDelays) {
  race_plan plan = plan_of(3);
  plan.hedge_count = 2;
  plan.hedge_after = {0ms, 100ms};
  race game(plan);
  EXPECT_TRUE(asks(game.on(race_begun{}, t0)));
  const auto second = game.on(spending_answered{1, true}, t0);
  ASSERT_EQ(started(second).size(), 1u);
  EXPECT_EQ(wake_of(second), t0 + 100ms);
  EXPECT_TRUE(asks(game.on(alarm_struck{}, t0 + 100ms)));
  EXPECT_EQ(started(game.on(spending_answered{2, true}, t0 + 100ms)).size(), 1u);
}

TEST(RaceAdaptive, AnErrorStartsTheNextWithoutAsking) {
  race_plan plan = plan_of(2);
  plan.hedge_count = 1;
  plan.hedge_after = {200ms};
  race game(plan);
  game.on(race_begun{}, t0);
  const auto next = game.on(attempt_failed{0}, t0 + 50ms);
  ASSERT_EQ(started(next).size(), 1u);
  EXPECT_EQ(started(next)[0].why, start_reason::failure);
  EXPECT_FALSE(asks(game.on(alarm_struck{}, t0 + 200ms)));
}

TEST(RaceAdaptive, SilenceStartsARescueThoughEveryHedgeIsDenied) {
  race_plan plan = plan_of(2);
  plan.hedge_count = 1;
  plan.hedge_after = {200ms};
  plan.rescue_after = 300ms;
  race game(plan);
  game.on(race_begun{}, t0);
  EXPECT_EQ(wake_of(game.on(alarm_struck{}, t0 + 200ms)), t0 + 300ms);
  game.on(spending_answered{1, false}, t0 + 200ms);
  const auto rescue = started(game.on(alarm_struck{}, t0 + 300ms));
  ASSERT_EQ(rescue.size(), 1u);
  EXPECT_EQ(rescue[0].why, start_reason::rescue);
}

TEST(RaceAdaptive, ASecondRoundIsForRescuesAlone) {
  race_plan plan = plan_of(4);  // this plan has four attempts: two targets, each of which is started twice
  plan.rescue_after = 1s;
  plan.rescue_only_from = 2;
  race silent(plan);
  silent.on(race_begun{}, t0);
  EXPECT_EQ(started(silent.on(alarm_struck{}, t0 + 1s)).size(), 1u);
  EXPECT_EQ(started(silent.on(alarm_struck{}, t0 + 2s)).size(), 1u);  // the second round starts the first target again
  race failing(plan);
  failing.on(race_begun{}, t0);
  failing.on(attempt_failed{0}, t0 + 50ms);
  const auto over = failing.on(attempt_failed{1}, t0 + 100ms);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(std::get<give_up>(over[0]).cause, defeat::all_failed);
}

TEST(RaceAdaptive, AProbeThatLosesIsObservedAndTheOthersAreCancelled) {
  race_plan plan = plan_of(3);
  plan.at_once = 2;
  plan.probe = 1;
  plan.hedge_count = 1;
  plan.hedge_after = {100ms};
  race game(plan);
  const auto begun = started(game.on(race_begun{}, t0));
  ASSERT_EQ(begun.size(), 2u);
  EXPECT_EQ(begun[1].why, start_reason::probe);
  game.on(alarm_struck{}, t0 + 100ms);
  game.on(spending_answered{2, true}, t0 + 100ms);
  const auto won = game.on(token_came{0}, t0 + 200ms);
  std::vector<std::size_t> observed, cancelled;
  for (const auto& each : won) {
    if (auto* observe = std::get_if<observe_attempt>(&each)) observed.push_back(observe->attempt);
    if (auto* cancel = std::get_if<cancel_attempt>(&each)) cancelled.push_back(cancel->attempt);
  }
  EXPECT_EQ(observed, std::vector<std::size_t>{1});
  EXPECT_EQ(cancelled, std::vector<std::size_t>{2});
  EXPECT_FALSE(game.is_over());
  game.on(token_came{1}, t0 + 300ms);
  EXPECT_TRUE(game.is_over());
}

TEST(RaceAdaptive, NothingStartsBeyondWhatMayRunAtOnce) {
  race_plan plan = plan_of(4);
  plan.max_parallel = 1;
  plan.at_once = 2;
  plan.hedge_count = 1;
  plan.hedge_after = {100ms};
  plan.rescue_after = 200ms;
  race game(plan);
  EXPECT_EQ(started(game.on(race_begun{}, t0)).size(), 1u);
  EXPECT_TRUE(started(game.on(alarm_struck{}, t0 + 300ms)).empty());
}

TEST(RaceAdaptive, AnAnswerToAnOldQuestionStartsNothing) {
  race_plan plan = plan_of(2);
  plan.hedge_count = 1;
  plan.hedge_after = {0ms};
  race game(plan);
  game.on(race_begun{}, t0);
  game.on(token_came{0}, t0 + 10ms);
  EXPECT_TRUE(game.on(spending_answered{1, true}, t0 + 10ms).empty());
}

}  // namespace
}  // namespace photofinish::racing
