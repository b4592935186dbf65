// Tests `keep_runner_up`: which attempt continues after a winner was chosen, for how long, and which attempt answers if the winner fails.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using commands = std::vector<race_command>;

constexpr instant t0{1h};

template <class Command>
std::vector<Command> all_of(const commands& given) {
  std::vector<Command> found;
  for (const race_command& each : given)
    if (const auto* one = std::get_if<Command>(&each)) found.push_back(*one);
  return found;
}

std::optional<std::size_t> winner_of(const commands& given) {
  const auto named = all_of<name_winner>(given);
  return named.empty() ? std::nullopt : std::optional(named.front().attempt);
}

std::vector<std::size_t> cancelled_by(const commands& given) {
  std::vector<std::size_t> found;
  for (const cancel_attempt& each : all_of<cancel_attempt>(given)) found.push_back(each.attempt);
  return found;
}

race_plan plan_of(std::size_t targets) {
  race_plan plan;
  plan.policy = race_policy::all;
  plan.target_count = plan.max_attempts = targets;
  plan.max_parallel = 3;
  plan.race_timeout = plan.first_token_timeout = 60s;
  plan.keep_runner_up = 300ms;
  return plan;
}

// A race in which three attempts were started. The first attempt has won, and the second continues as runner-up.
struct kept_race {
  race rules;
  commands decided, granted;

  explicit kept_race(const race_plan& plan = plan_of(3)) : rules(plan) {
    rules.on(race_begun{}, t0);
    decided = rules.on(token_came{0}, t0 + 1s);
    granted = rules.on(keep_answered{1, true}, t0 + 1s);
  }
};

TEST(RaceKeep, OneLoserRunsOnForItsTimeAndTheOthersAreCancelledAtOnce) {
  kept_race race;
  EXPECT_EQ(winner_of(race.decided), 0u);
  ASSERT_EQ(all_of<ask_to_keep>(race.decided).size(), 1u);
  EXPECT_EQ(all_of<ask_to_keep>(race.decided)[0].attempt, 1u);
  EXPECT_EQ(cancelled_by(race.decided), std::vector<std::size_t>{2});
  ASSERT_EQ(all_of<wake_at>(race.granted).size(), 1u);
  EXPECT_EQ(all_of<wake_at>(race.granted)[0].when, t0 + 1300ms);
  EXPECT_TRUE(race.rules.keeps_runner_up());
  EXPECT_TRUE(race.rules.on(alarm_struck{}, t0 + 1299ms).size() <= 1);
  EXPECT_FALSE(race.rules.is_over());
  EXPECT_EQ(cancelled_by(race.rules.on(alarm_struck{}, t0 + 1300ms)), std::vector<std::size_t>{1});
  EXPECT_TRUE(race.rules.is_over());
}

TEST(RaceKeep, NothingIsAskedWhereNothingIsToBeKept) {
  race_plan plan = plan_of(2);
  plan.keep_runner_up = 0ms;
  race rules(plan);
  rules.on(race_begun{}, t0);
  const commands decided = rules.on(token_came{0}, t0 + 1s);
  EXPECT_TRUE(all_of<ask_to_keep>(decided).empty());
  EXPECT_EQ(cancelled_by(decided), std::vector<std::size_t>{1});
}

TEST(RaceKeep, OneThatMayNotRunOnIsCancelled) {
  race rules(plan_of(2));
  rules.on(race_begun{}, t0);
  rules.on(token_came{0}, t0 + 1s);
  EXPECT_EQ(cancelled_by(rules.on(keep_answered{1, false}, t0 + 1s)), std::vector<std::size_t>{1});
  EXPECT_TRUE(rules.is_over());
}

TEST(RaceKeep, ItIsCancelledWhenAByteOfTheAnswerIsSent) {
  kept_race race;
  EXPECT_EQ(cancelled_by(race.rules.on(answer_begun{}, t0 + 1100ms)), std::vector<std::size_t>{1});
  EXPECT_TRUE(race.rules.is_over());
}

TEST(RaceKeep, WhereTheWinnerFailsOneThatHasSpokenWinsAtOnce) {
  kept_race race;
  EXPECT_EQ(winner_of(race.rules.on(token_came{1}, t0 + 1100ms)), std::nullopt);
  EXPECT_TRUE(race.rules.has_ready_runner_up());
  EXPECT_EQ(winner_of(race.rules.on(winner_failed{}, t0 + 1200ms)), 1u);
  EXPECT_TRUE(race.rules.is_over());
}

TEST(RaceKeep, OneThatIsSilentStillWinsWithItsToken) {
  kept_race race;
  EXPECT_EQ(winner_of(race.rules.on(winner_failed{}, t0 + 1200ms)), std::nullopt);
  EXPECT_FALSE(race.rules.is_over());
  EXPECT_EQ(winner_of(race.rules.on(token_came{1}, t0 + 5s)), 1u);
}

TEST(RaceKeep, ButStartsNoOtherAndIsNotWaitedForLongerThanAnyOther) {
  race_plan plan = plan_of(4);
  kept_race failing(plan), silent(plan);
  failing.rules.on(winner_failed{}, t0 + 1200ms);
  const commands lost = failing.rules.on(attempt_failed{1}, t0 + 2s);
  EXPECT_TRUE(all_of<start_attempt>(lost).empty());
  ASSERT_EQ(all_of<give_up>(lost).size(), 1u);
  EXPECT_EQ(all_of<give_up>(lost)[0].cause, defeat::all_failed);
  silent.rules.on(winner_failed{}, t0 + 1200ms);
  EXPECT_EQ(all_of<give_up>(silent.rules.on(alarm_struck{}, t0 + 60s)).size(), 1u);
  EXPECT_TRUE(silent.rules.is_over());
}

TEST(RaceKeep, OneThatHasFailedMeanwhileAnswersNothing) {
  kept_race race;
  EXPECT_TRUE(all_of<start_attempt>(race.rules.on(attempt_failed{1}, t0 + 1100ms)).empty());
  EXPECT_TRUE(race.rules.is_over());
  const commands lost = race.rules.on(winner_failed{}, t0 + 1200ms);
  EXPECT_EQ(all_of<give_up>(lost).size(), 1u) << "who waits for the runner-up must not wait for ever";
}

TEST(RaceKeep, TheClientsLeavingAndTheRequestsEndCancelIt) {
  kept_race left, ended;
  EXPECT_EQ(cancelled_by(left.rules.on(client_left{}, t0 + 1100ms)), std::vector<std::size_t>{1});
  EXPECT_TRUE(left.rules.is_over());
  EXPECT_EQ(cancelled_by(ended.rules.on(request_ended{2s}, t0 + 1100ms)), std::vector<std::size_t>{1});
  EXPECT_TRUE(ended.rules.is_over());
}

TEST(RaceKeep, WhatWasToBeObservedIsObservedBehindIt) {
  race_plan plan = plan_of(2);
  plan.disposition = losers::observed;
  kept_race race(plan);
  const commands behind = race.rules.on(answer_begun{}, t0 + 1100ms);
  EXPECT_TRUE(cancelled_by(behind).empty());
  EXPECT_EQ(all_of<observe_attempt>(behind).size(), 1u);
  EXPECT_EQ(cancelled_by(race.rules.on(token_came{1}, t0 + 2s)), std::vector<std::size_t>{1});
  EXPECT_TRUE(race.rules.is_over());
}

TEST(RaceKeep, AnAnswerInOnePieceIsNotKept) {
  race rules(plan_of(2));
  rules.on(race_begun{}, t0);
  rules.on(whole_awaited{1}, t0);
  const commands decided = rules.on(token_came{0}, t0 + 1s);
  EXPECT_TRUE(all_of<ask_to_keep>(decided).empty());
  EXPECT_EQ(cancelled_by(decided), std::vector<std::size_t>{1});
}

TEST(RaceKeep, OneThatIsHeldComesBeforeOneThatIsSilent) {
  race_plan plan = plan_of(3);
  plan.wins = win_on::finish;
  race rules(plan);
  rules.on(race_begun{}, t0);
  rules.on(token_came{2}, t0 + 1s);
  rules.on(hold_answered{2, t0 + 6s}, t0 + 1s);
  const commands decided = rules.on(token_came{0, true}, t0 + 2s);
  EXPECT_EQ(winner_of(decided), 0u);
  ASSERT_EQ(all_of<ask_to_keep>(decided).size(), 1u);
  EXPECT_EQ(all_of<ask_to_keep>(decided)[0].attempt, 2u);
  rules.on(keep_answered{2, true}, t0 + 2s);
  EXPECT_EQ(winner_of(rules.on(winner_failed{}, t0 + 2100ms)), 2u);
}

TEST(RaceKeep, OneThatCanBeKeptNoLongerIsCancelled) {
  kept_race race;
  race.rules.on(token_came{1}, t0 + 1100ms);
  EXPECT_EQ(cancelled_by(race.rules.on(attempt_full{1}, t0 + 1200ms)), std::vector<std::size_t>{1});
  EXPECT_TRUE(race.rules.is_over());
}

}  // namespace
}  // namespace photofinish::racing
