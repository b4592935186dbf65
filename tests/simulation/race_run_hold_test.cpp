// Tests race_run with `win_on: finish`. While the race holds back the tokens of an attempt, race_run must continue to read that attempt.
// race_run must also be able to hand the winner over to another reader while a read is running.
#include "tests/simulation/race_run_world.hpp"

#include <utility>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

// Simulates two targets. The first target answers immediately. The race holds back this answer for at most `seconds` seconds while it waits
// for the second target.
struct held_duel {
  world stage;

  held_duel(upstream_script first, upstream_script second, double seconds, std::size_t max_held = 1 << 20) {
    stage.scripts = {std::move(first), std::move(second)};
    race_plan plan = duel(race_policy::all);
    plan.wins = win_on::finish;
    stage.make(plan, max_held);
    stage.run->ask_whom_to_hold([seconds](const ask_to_hold& asked, instant) {
      const auto& last = asked.attempts.back();
      return last.spoke ? hold_choice{last.attempt, 0} : hold_choice{asked.attempts.front().attempt, seconds};
    });
    stage.start();
  }
  const race_report& report() const { return stage.run->report(); }
};

upstream_script slow_speaker() {
  upstream_script script;
  script.steps = {{5ms, event_kind::token}, {10ms, event_kind::token}, {200ms, event_kind::token},
                  {5ms, event_kind::token}, {5ms, event_kind::end}};
  return script;
}

upstream_script silence() {
  upstream_script script;
  script.never_opens = true;
  return script;
}

TEST(RaceRun, WhatIsHeldIsReadOnAndTheWaitForTheNextIsHandedOnWithNothingLost) {
  held_duel race(slow_speaker(), silence(), 0.05);
  race.stage.play(50ms);
  EXPECT_FALSE(race.report().winner);
  race.stage.play(6ms);  // at this time, the attempt has sent its second token but not its third
  ASSERT_EQ(race.report().winner, 0u);
  EXPECT_EQ(race.stage.run->held_events().size(), 2u);
  race.stage.play(1s);
  EXPECT_EQ(race.stage.events_after_the_win, 2u);
  ASSERT_TRUE(race.report().hold);
  EXPECT_EQ(race.report().hold->why, hold_end::turned);
  EXPECT_EQ(race.report().hold->ended_at - race.report().hold->began_at, 50ms);
  check(race.stage);
}

TEST(RaceRun, TheHeldOneIsCancelledWhenTheOtherFinishesSooner) {
  held_duel race(slow_speaker(), token_after(30ms), 10);
  race.stage.play(1s);
  EXPECT_EQ(race.report().winner, 1u);
  EXPECT_EQ(race.report().attempts[0].end, attempt_end::lost);
  EXPECT_EQ(race.report().hold->why, hold_end::overtaken);
  check(race.stage);
}

TEST(RaceRun, AHeldAnswerThatIsCompleteIsTheClients) {
  held_duel race(token_after(5ms), silence(), 10);
  race.stage.play(1s);
  EXPECT_EQ(race.report().winner, 0u);
  EXPECT_EQ(race.report().hold->why, hold_end::complete);
  check(race.stage);
}

TEST(RaceRun, AHeldOneThatBreaksHasFailedAndTheOtherWins) {
  upstream_script breaks;
  breaks.steps = {{5ms, event_kind::token}, {10ms, some_failure()}};
  held_duel race(breaks, token_after(80ms), 10);
  race.stage.play(1s);
  EXPECT_EQ(race.report().winner, 1u);
  EXPECT_EQ(race.report().attempts[0].end, attempt_end::failed);
  EXPECT_EQ(race.report().hold->why, hold_end::failed);
  check(race.stage);
}

TEST(RaceRun, NoMoreIsHeldThanTheLimit) {
  upstream_script chatter;
  for (int event = 0; event < 100; ++event) chatter.steps.push_back({1ms, event_kind::token, std::string(100, 'x')});
  chatter.steps.push_back({1ms, event_kind::end});
  held_duel race(chatter, silence(), 10, 2'000);
  race.stage.play(40ms);
  ASSERT_EQ(race.report().winner, 0u);
  EXPECT_EQ(race.report().hold->why, hold_end::full);
  race.stage.play(1s);
  check(race.stage);
}

upstream_script repeats_nothing(std::size_t times) {
  upstream_script script;
  for (std::size_t event = 0; event < times; ++event)
    script.steps.push_back({event == 0 ? 1ms : 0ms, event_kind::progress, "", event % 100 != 0});
  script.steps.push_back({1ms, event_kind::end});
  return script;
}

TEST(RaceRun, EventsThatSayNothingAreCountedByTheMemoryThatTheyTake) {
  constexpr std::size_t most = 64u << 10;
  world stage;
  stage.scripts = {repeats_nothing(10'000)};
  race_plan plan = duel(race_policy::all);
  plan.target_count = plan.max_attempts = 1;
  stage.make(plan, most);
  stage.start();
  stage.play(1s);
  ASSERT_TRUE(stage.run->report().defeated);
  ASSERT_TRUE(stage.run->report().attempts[0].why);
  EXPECT_NE(stage.run->report().attempts[0].why->detail.find("max_buffered"), std::string::npos);
  EXPECT_LE(stage.records[0].steps_taken, most / sizeof(proxy::kept_event) + 100) << "one read more at most";
  check(stage);
}

TEST(RaceRun, AHeldAnswersEventsThatSayNothingAreCountedToo) {
  upstream_script chatter = repeats_nothing(10'000);
  chatter.steps.push_front({1ms, event_kind::token});
  held_duel race(chatter, silence(), 10, 64u << 10);
  race.stage.play(100ms);
  ASSERT_EQ(race.report().winner, 0u);
  EXPECT_EQ(race.report().hold->why, hold_end::full);
  race.stage.play(1s);
  check(race.stage);
}

}  // namespace
}  // namespace photofinish::racing
