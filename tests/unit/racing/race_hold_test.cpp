// Tests `win_on: finish`. A target that has sent tokens may have to wait for a target that is still silent.
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

std::optional<hold_end> end_of_hold(const commands& given) {
  const auto ends = all_of<finish_hold>(given);
  return ends.empty() ? std::nullopt : std::optional(ends.front().why);
}

struct held_race {
  race rules;

  explicit held_race(std::size_t targets = 2, race_policy policy = race_policy::all) : rules(plan_of(targets, policy)) {
    rules.on(race_begun{}, t0);
  }
  static race_plan plan_of(std::size_t targets, race_policy policy) {
    race_plan plan;
    plan.policy = policy;
    plan.target_count = plan.max_attempts = targets;
    plan.max_parallel = 3;
    plan.wins = win_on::finish;
    plan.race_timeout = plan.first_token_timeout = 60s;
    return plan;
  }
  // The first target sends a token after one second. The rules then make this target wait five more seconds for the other targets.
  commands hold() {
    rules.on(token_came{0}, t0 + 1s);
    return rules.on(hold_answered{0, t0 + 6s}, t0 + 1s);
  }
};

TEST(RaceHold, AFirstTokenAsksAndWinsWhereThereIsNothingToWaitFor) {
  held_race race;
  const auto asked = all_of<ask_to_hold>(race.rules.on(token_came{0}, t0 + 1s));
  ASSERT_EQ(asked.size(), 1u);
  ASSERT_EQ(asked[0].attempts.size(), 2u);
  EXPECT_EQ(asked[0].attempts[0].spoke, t0 + 1s);
  EXPECT_EQ(asked[0].attempts[1].spoke, std::nullopt);
  const commands decided = race.rules.on(hold_answered{0, t0 + 1s}, t0 + 1s);
  EXPECT_EQ(winner_of(decided), 0u);
  EXPECT_EQ(all_of<cancel_attempt>(decided).size(), 1u);
  EXPECT_EQ(end_of_hold(decided), std::nullopt) << "it was never held";
}

TEST(RaceHold, ItIsHeldUntilTheOtherSpeaksAndTheBetterOneWins) {
  held_race race;
  EXPECT_EQ(all_of<hold_attempt>(race.hold()).size(), 1u);
  race.rules.on(token_came{1}, t0 + 2s);
  const commands decided = race.rules.on(hold_answered{1, t0 + 2s}, t0 + 2s);
  EXPECT_EQ(winner_of(decided), 1u);
  EXPECT_EQ(end_of_hold(decided), hold_end::overtaken);
  ASSERT_EQ(all_of<cancel_attempt>(decided).size(), 1u);
  EXPECT_EQ(all_of<cancel_attempt>(decided)[0].attempt, 0u);
}

TEST(RaceHold, OrTheHeldOneDoes) {
  held_race race;
  race.hold();
  race.rules.on(token_came{1}, t0 + 5s);
  const commands decided = race.rules.on(hold_answered{0, t0 + 5s}, t0 + 5s);
  EXPECT_EQ(winner_of(decided), 0u);
  EXPECT_EQ(end_of_hold(decided), hold_end::stayed_ahead);
}

TEST(RaceHold, ItWinsWhenThePredictionHasTurned) {
  held_race race;
  const auto wakes = all_of<wake_at>(race.hold());
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].when, t0 + 6s);
  EXPECT_EQ(winner_of(race.rules.on(alarm_struck{}, t0 + 5s)), std::nullopt);
  const commands decided = race.rules.on(alarm_struck{}, t0 + 6s);
  EXPECT_EQ(winner_of(decided), 0u);
  EXPECT_EQ(end_of_hold(decided), hold_end::turned);
}

TEST(RaceHold, ItWinsWhenItsAnswerIsCompleteOrNoMoreOfItCanBeKept) {
  held_race complete, full;
  complete.hold(), full.hold();
  const commands ended = complete.rules.on(answer_ended{0}, t0 + 2s);
  EXPECT_EQ(winner_of(ended), 0u);
  EXPECT_EQ(end_of_hold(ended), hold_end::complete);
  const commands filled = full.rules.on(attempt_full{0}, t0 + 2s);
  EXPECT_EQ(winner_of(filled), 0u);
  EXPECT_EQ(end_of_hold(filled), hold_end::full);
}

TEST(RaceHold, AWholeAnswerWinsAtOnceAlsoOverOneThatIsHeld) {
  held_race race;
  race.hold();
  const commands decided = race.rules.on(token_came{1, true}, t0 + 2s);
  EXPECT_EQ(winner_of(decided), 1u);
  EXPECT_EQ(end_of_hold(decided), hold_end::overtaken);
}

TEST(RaceHold, WhenTheLastOtherFailsItWins) {
  held_race race;
  race.hold();
  const commands decided = race.rules.on(attempt_failed{1}, t0 + 2s);
  EXPECT_EQ(winner_of(decided), 0u);
  EXPECT_EQ(end_of_hold(decided), hold_end::alone);
}

TEST(RaceHold, WhenOneOfSeveralFailsItAsksAnew) {
  held_race race(3);
  race.hold();
  const commands asks = race.rules.on(attempt_failed{1}, t0 + 2s);
  ASSERT_EQ(all_of<ask_to_hold>(asks).size(), 1u);
  EXPECT_EQ(all_of<ask_to_hold>(asks)[0].attempts.size(), 2u);
  const commands decided = race.rules.on(hold_answered{0, t0 + 2s}, t0 + 2s);
  EXPECT_EQ(winner_of(decided), 0u);
  EXPECT_EQ(end_of_hold(decided), hold_end::turned);
}

TEST(RaceHold, WhenItFailsTheOtherGoesOnAndTheNextStarts) {
  held_race race(3, race_policy::hedge);
  race.rules.on(alarm_struck{}, t0 + 300ms);
  race.hold();
  const commands failed = race.rules.on(attempt_failed{0}, t0 + 2s);
  EXPECT_EQ(end_of_hold(failed), hold_end::failed);
  EXPECT_EQ(all_of<start_attempt>(failed).size(), 1u);
  EXPECT_EQ(winner_of(failed), std::nullopt);
  race.rules.on(token_came{1}, t0 + 3s);
  EXPECT_EQ(winner_of(race.rules.on(hold_answered{1, t0 + 3s}, t0 + 3s)), 1u);
}

TEST(RaceHold, NothingStartsBesideOneThatIsHeld) {
  held_race race(3, race_policy::hedge);
  race.rules.on(alarm_struck{}, t0 + 300ms);
  race.hold();
  EXPECT_TRUE(all_of<start_attempt>(race.rules.on(alarm_struck{}, t0 + 1'300ms)).empty());
}

TEST(RaceHold, AtTheRacesLimitItWins) {
  held_race race;
  race.rules.on(token_came{0}, t0 + 1s);
  race.rules.on(hold_answered{0, t0 + 10min}, t0 + 1s);
  const commands decided = race.rules.on(alarm_struck{}, t0 + 60s);
  EXPECT_EQ(winner_of(decided), 0u);
  EXPECT_EQ(end_of_hold(decided), hold_end::race_over);
}

TEST(RaceHold, WhenTheClientLeavesAllAreCancelled) {
  held_race race;
  race.hold();
  const commands left = race.rules.on(client_left{}, t0 + 2s);
  EXPECT_EQ(all_of<cancel_attempt>(left).size(), 2u);
  EXPECT_EQ(end_of_hold(left), hold_end::race_over);
  EXPECT_TRUE(race.rules.is_over());
}

TEST(RaceHold, AnAnswerThatIsLateOrOfAnotherRaceChangesNothing) {
  held_race race;
  EXPECT_TRUE(race.rules.on(hold_answered{0, t0 + 1s}, t0 + 1s).empty());
  race.hold();
  EXPECT_EQ(winner_of(race.rules.on(hold_answered{7, t0}, t0 + 2s)), std::nullopt);
  EXPECT_EQ(winner_of(race.rules.on(attempt_full{1}, t0 + 2s)), std::nullopt);
}

}  // namespace
}  // namespace photofinish::racing
