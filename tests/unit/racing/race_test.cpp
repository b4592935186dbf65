// Tests the rules of one race, in virtual time.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant t0{1h};

race_plan plan_of(race_policy policy, std::size_t targets) {
  race_plan plan;
  plan.policy = policy;
  plan.target_count = targets;
  plan.max_attempts = targets;
  plan.max_parallel = 3;
  plan.hedge_delay = 100ms;
  plan.race_timeout = 10s;
  plan.first_token_timeout = 4s;
  return plan;
}

using commands = std::vector<race_command>;

std::vector<std::size_t> started(const commands& given) {
  std::vector<std::size_t> attempts;
  for (const auto& each : given)
    if (auto* start = std::get_if<start_attempt>(&each)) attempts.push_back(start->attempt);
  return attempts;
}

std::vector<std::size_t> cancelled(const commands& given, cancel_cause cause) {
  std::vector<std::size_t> attempts;
  for (const auto& each : given)
    if (auto* cancel = std::get_if<cancel_attempt>(&each); cancel && cancel->cause == cause)
      attempts.push_back(cancel->attempt);
  return attempts;
}

std::optional<std::size_t> winner(const commands& given) {
  for (const auto& each : given)
    if (auto* win = std::get_if<name_winner>(&each)) return win->attempt;
  return std::nullopt;
}

std::optional<defeat> defeat_in(const commands& given) {
  for (const auto& each : given)
    if (auto* lost = std::get_if<give_up>(&each)) return lost->cause;
  return std::nullopt;
}

std::optional<instant> wake_up(const commands& given) {
  for (const auto& each : given)
    if (auto* wake = std::get_if<wake_at>(&each)) return wake->when;
  return std::nullopt;
}

using attempts = std::vector<std::size_t>;

TEST(Race, AllStartsUpToMaxParallelAtOnce) {
  race all(plan_of(race_policy::all, 5));
  EXPECT_EQ(started(all.on(race_begun{}, t0)), (attempts{0, 1, 2}));
}

TEST(Race, FirstTokenWinsItsRaceAndCancelsTheOthers) {
  race all(plan_of(race_policy::all, 3));
  all.on(race_begun{}, t0);
  const commands given = all.on(token_came{1}, t0 + 50ms);
  EXPECT_EQ(winner(given), 1u);
  EXPECT_EQ(cancelled(given, cancel_cause::lost), (attempts{0, 2}));
  EXPECT_TRUE(all.is_over());
}

TEST(Race, NamesTheWinnerBeforeItCancelsTheLosers) {
  race all(plan_of(race_policy::all, 2));
  all.on(race_begun{}, t0);
  const commands given = all.on(token_came{0}, t0 + 1ms);
  ASSERT_EQ(given.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<name_winner>(given[0]));
}

TEST(Race, ASecondTokenInTheSameTurnChangesNothing) {
  race all(plan_of(race_policy::all, 2));
  all.on(race_begun{}, t0);
  all.on(token_came{0}, t0 + 1ms);
  EXPECT_TRUE(all.on(token_came{1}, t0 + 1ms).empty());
}

race observed_race(std::size_t targets) {
  race_plan plan = plan_of(race_policy::all, targets);
  plan.disposition = losers::observed;
  race made(plan);
  made.on(race_begun{}, t0);
  return made;
}

TEST(Race, InAnObservedRaceTheLosersRunOnToTheirOwnFirstToken) {
  race observed = observed_race(3);
  const commands won = observed.on(token_came{1}, t0 + 50ms);
  EXPECT_EQ(winner(won), 1u);
  EXPECT_TRUE(cancelled(won, cancel_cause::lost).empty());
  EXPECT_EQ(wake_up(won), t0 + 10s) << "the race's own limit";
  EXPECT_FALSE(observed.is_over());
  const commands second = observed.on(token_came{0}, t0 + 70ms);
  EXPECT_EQ(cancelled(second, cancel_cause::lost), (attempts{0}));
  EXPECT_EQ(winner(second), std::nullopt);
  EXPECT_FALSE(observed.is_over());
  EXPECT_TRUE(started(observed.on(attempt_failed{2}, t0 + 80ms)).empty());
  EXPECT_TRUE(observed.is_over());
}

TEST(Race, ObservingEndsWithTheGraceBehindTheRequest) {
  race observed = observed_race(2);
  observed.on(token_came{1}, t0 + 50ms);
  EXPECT_EQ(wake_up(observed.on(request_ended{200ms}, t0 + 1s)), t0 + 1200ms);
  EXPECT_TRUE(cancelled(observed.on(alarm_struck{}, t0 + 1199ms), cancel_cause::lost).empty());
  EXPECT_EQ(cancelled(observed.on(alarm_struck{}, t0 + 1200ms), cancel_cause::lost), (attempts{0}));
  EXPECT_TRUE(observed.is_over());
}

TEST(Race, ObservingNeverOutlivesTheRacesLimitWhateverTheGrace) {
  race observed = observed_race(2);
  observed.on(token_came{1}, t0 + 50ms);
  EXPECT_EQ(wake_up(observed.on(request_ended{1h}, t0 + 1s)), std::nullopt);
  EXPECT_EQ(cancelled(observed.on(alarm_struck{}, t0 + 10s), cancel_cause::lost), (attempts{0}));
}

TEST(Race, AClientThatLeavesEndsTheObservingAndStaysTheWinners) {
  race observed = observed_race(3);
  observed.on(token_came{1}, t0 + 50ms);
  const commands left = observed.on(client_left{}, t0 + 60ms);
  EXPECT_EQ(cancelled(left, cancel_cause::lost), (attempts{0, 2}));
  EXPECT_EQ(defeat_in(left), std::nullopt);
  EXPECT_TRUE(observed.is_over());
}

TEST(Race, HedgeStartsTheSecondOnlyAfterTheDelayInSilence) {
  race hedge(plan_of(race_policy::hedge, 2));
  const commands first = hedge.on(race_begun{}, t0);
  EXPECT_EQ(started(first), (attempts{0}));
  EXPECT_EQ(wake_up(first), t0 + 100ms);
  EXPECT_TRUE(started(hedge.on(alarm_struck{}, t0 + 99ms)).empty());
  EXPECT_EQ(started(hedge.on(alarm_struck{}, t0 + 100ms)), (attempts{1}));
}

TEST(Race, HedgeStopsAtMaxParallel) {
  race_plan plan = plan_of(race_policy::hedge, 3);
  plan.max_parallel = 1;
  race hedge(plan);
  EXPECT_EQ(wake_up(hedge.on(race_begun{}, t0)), t0 + 4s);
  EXPECT_TRUE(started(hedge.on(alarm_struck{}, t0 + 100ms)).empty());
}

TEST(Race, FallbackStartsTheNextOnlyWhenOneHasFailed) {
  race fallback(plan_of(race_policy::fallback, 3));
  EXPECT_EQ(started(fallback.on(race_begun{}, t0)), (attempts{0}));
  EXPECT_TRUE(started(fallback.on(alarm_struck{}, t0 + 1s)).empty());
  EXPECT_EQ(started(fallback.on(attempt_failed{0}, t0 + 2s)), (attempts{1}));
}

class AFailure : public ::testing::TestWithParam<race_policy> {};
INSTANTIATE_TEST_SUITE_P(InEveryPolicy, AFailure,
                         ::testing::Values(race_policy::all, race_policy::hedge, race_policy::fallback),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

TEST_P(AFailure, StartsTheNextWaitingTargetAtOnce) {
  race_plan plan = plan_of(GetParam(), 4);
  race any(plan);
  const std::size_t next = started(any.on(race_begun{}, t0)).size();
  EXPECT_EQ(started(any.on(attempt_failed{0}, t0 + 5ms)), (attempts{next}));
}

TEST(Race, StartsNoMoreThanMaxAttempts) {
  race_plan plan = plan_of(race_policy::fallback, 5);
  plan.max_attempts = 2;
  race fallback(plan);
  fallback.on(race_begun{}, t0);
  fallback.on(attempt_failed{0}, t0 + 1ms);
  EXPECT_EQ(defeat_in(fallback.on(attempt_failed{1}, t0 + 2ms)), defeat::all_failed);
}

TEST(Race, AnEmptyAnswerWaitsForARivalThatIsStillRunning) {
  race all(plan_of(race_policy::all, 2));
  all.on(race_begun{}, t0);
  EXPECT_FALSE(winner(all.on(answer_ended{0}, t0 + 1ms)));
  EXPECT_EQ(winner(all.on(token_came{1}, t0 + 2ms)), 1u);
}

TEST(Race, AnEmptyAnswerWinsWhenTheLastRivalFails) {
  race all(plan_of(race_policy::all, 2));
  all.on(race_begun{}, t0);
  all.on(answer_ended{0}, t0 + 1ms);
  EXPECT_EQ(winner(all.on(attempt_failed{1}, t0 + 2ms)), 0u);
}

TEST(Race, AnEmptyAnswerAloneWinsAndStartsNone) {
  race fallback(plan_of(race_policy::fallback, 2));
  fallback.on(race_begun{}, t0);
  const commands given = fallback.on(answer_ended{0}, t0 + 1ms);
  EXPECT_EQ(winner(given), 0u);
  EXPECT_TRUE(started(given).empty());
}

TEST(Race, AnEmptyAnswerInHandStopsFurtherStarts) {
  race all(plan_of(race_policy::all, 5));
  all.on(race_begun{}, t0);
  all.on(answer_ended{0}, t0 + 1ms);
  EXPECT_TRUE(started(all.on(attempt_failed{1}, t0 + 2ms)).empty());
}

TEST(Race, TheFirstOfTwoEmptyAnswersWins) {
  race all(plan_of(race_policy::all, 2));
  all.on(race_begun{}, t0);
  all.on(answer_ended{1}, t0 + 1ms);
  EXPECT_EQ(winner(all.on(answer_ended{0}, t0 + 2ms)), 1u);
}

TEST(Race, AnAttemptPastItsLimitFailsAndTheNextStarts) {
  race fallback(plan_of(race_policy::fallback, 2));
  fallback.on(race_begun{}, t0);
  const commands given = fallback.on(alarm_struck{}, t0 + 4s);
  EXPECT_EQ(cancelled(given, cancel_cause::timed_out), (attempts{0}));
  EXPECT_EQ(started(given), (attempts{1}));
}

TEST(Race, TheRaceLimitEndsEverything) {
  race_plan plan = plan_of(race_policy::all, 2);
  plan.first_token_timeout = plan.race_timeout;
  race all(plan);
  all.on(race_begun{}, t0);
  const commands given = all.on(alarm_struck{}, t0 + 10s);
  EXPECT_EQ(cancelled(given, cancel_cause::timed_out), (attempts{0, 1}));
  EXPECT_EQ(defeat_in(given), defeat::timed_out);
}

TEST(Race, AtTheRaceLimitAnEmptyAnswerInHandWins) {
  race_plan plan = plan_of(race_policy::all, 2);
  plan.first_token_timeout = plan.race_timeout;
  race all(plan);
  all.on(race_begun{}, t0);
  all.on(answer_ended{0}, t0 + 1s);
  EXPECT_EQ(winner(all.on(alarm_struck{}, t0 + 10s)), 0u);
}

TEST(Race, TheClientsLeavingCancelsAll) {
  race all(plan_of(race_policy::all, 3));
  all.on(race_begun{}, t0);
  const commands given = all.on(client_left{}, t0 + 1ms);
  EXPECT_EQ(cancelled(given, cancel_cause::client_left), (attempts{0, 1, 2}));
  EXPECT_EQ(defeat_in(given), defeat::client_left);
}

TEST(Race, AWakeUpIsAskedForOnceOnly) {
  race fallback(plan_of(race_policy::fallback, 2));
  fallback.on(race_begun{}, t0);
  EXPECT_FALSE(wake_up(fallback.on(alarm_struck{}, t0 + 1s)) == t0 + 10s);
}

TEST(Race, AFailureMovesTheHedgeDelay) {
  race hedge(plan_of(race_policy::hedge, 4));
  hedge.on(race_begun{}, t0);
  EXPECT_EQ(wake_up(hedge.on(attempt_failed{0}, t0 + 60ms)), t0 + 160ms);
}

TEST(Race, ATargetThatIsFullMakesRoomForTheNext) {
  race_plan plan = plan_of(race_policy::fallback, 3);
  plan.max_attempts = 1;
  race one(plan);
  one.on(race_begun{}, t0);
  EXPECT_EQ(started(one.on(attempt_turned_away{0}, t0)), (attempts{1}));
  EXPECT_EQ(defeat_in(one.on(attempt_failed{1}, t0)), defeat::all_failed);
}

TEST(Race, IsLostWhenEveryTargetIsFull) {
  race all(plan_of(race_policy::all, 2));
  all.on(race_begun{}, t0);
  all.on(attempt_turned_away{0}, t0);
  EXPECT_EQ(defeat_in(all.on(attempt_turned_away{1}, t0)), defeat::all_failed);
}

}  // namespace
}  // namespace photofinish::racing
