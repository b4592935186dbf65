// Tests race_run with `keep_runner_up`. After one attempt has won, race_run must continue to read the runner-up, so that the runner-up can
// replace the winner without losing an event.
#include "tests/simulation/race_run_world.hpp"

#include <utility>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

// Simulates two targets. The target that answers first wins, and may fail later. The other target is kept as the runner-up for 300 ms.
struct kept_duel {
  world stage;
  std::size_t asked = 0;

  kept_duel(upstream_script first, upstream_script second, std::size_t max_held = 1 << 20, bool is_granted = true) {
    stage.scripts = {std::move(first), std::move(second)};
    race_plan plan = duel(race_policy::all);
    plan.keep_runner_up = 300ms;
    stage.make(plan, max_held);
    stage.run->ask_before_keeping([this, is_granted](const ask_to_keep&) { return ++asked, is_granted; });
  }
  const race_report& report() const { return stage.run->report(); }
  // Runs the race as the gateway does until it sends the first byte of the answer.
  void play(std::chrono::nanoseconds limit) {
    boost::asio::co_spawn(stage.io, serve(), [](std::exception_ptr error) { ASSERT_FALSE(error); });
    stage.play(limit);
  }
  boost::asio::awaitable<void> serve() {
    co_await stage.run->decide();
    stage.is_decided = true;
    while (report().winner) {
      proxy::maybe_failure broken = co_await relay();
      if (!broken || !stage.run->is_keeping()) break;
      stage.events_after_the_win = 0;
      co_await stage.run->go_on_without_winner(std::move(*broken));
    }
    stage.run->request_over(stage.grace);
    stage.answered_at = stage.alarms.now();
    co_await stage.run->ended();
    stage.ended_at = stage.alarms.now();
    stage.is_finished = true;
  }
  boost::asio::awaitable<proxy::maybe_failure> relay() {
    held = stage.run->held_events().size();
    if (stage.run->held_events().back().kind() == event_kind::end) co_return std::nullopt;
    if (stage.run->held_failure()) co_return stage.run->held_failure();
    while (true) {
      auto event = stage.run->winner().poll();
      while (!event) {
        co_await stage.run->winner().readable();
        event = stage.run->winner().read();
      }
      if (!*event) co_return std::move(*event).error();
      if ((*event)->kind == event_kind::end) co_return std::nullopt;
      ++stage.events_after_the_win;
    }
  }
  std::size_t held = 0;  // number of events that the last winner had buffered
};

upstream_script breaks_after(std::chrono::nanoseconds token, std::chrono::nanoseconds failure) {
  upstream_script script;
  script.steps = {{token, event_kind::token}, {failure, some_failure()}};
  return script;
}

upstream_script speaks_slowly(std::chrono::nanoseconds first) {
  upstream_script script;
  script.steps = {{first, event_kind::token}, {100ms, event_kind::token}, {200ms, event_kind::token},
                  {5ms, event_kind::end}};
  return script;
}

TEST(RaceRun, TheRunnerUpTakesTheWinnersPlaceWithAllThatItHasSaid) {
  kept_duel race(breaks_after(5ms, 150ms), speaks_slowly(20ms));
  race.play(5s);
  ASSERT_EQ(race.report().winner, 1u);
  EXPECT_EQ(race.report().replaced, 0u);
  EXPECT_EQ(race.held, 2u) << "its tokens at 20 and 120 ms were kept";
  EXPECT_EQ(race.stage.events_after_the_win, 1u) << "the race's wait for the third was handed on";
  EXPECT_EQ(race.report().attempts[0].end, attempt_end::failed);
  EXPECT_TRUE(race.report().attempts[1].was_kept);
  EXPECT_TRUE(race.stage.records.at(0).was_closed);
  check(race.stage);
}

TEST(RaceRun, OneThatIsSilentStillIsWaitedFor) {
  kept_duel race(breaks_after(5ms, 50ms), speaks_slowly(2s));
  race.play(5s);
  EXPECT_EQ(race.report().winner, 1u);
  EXPECT_EQ(race.report().decided_at - race.report().begun_at, 2s);
  check(race.stage);
}

TEST(RaceRun, AWinnerThatIsBrokenAlreadyIsReplacedInTheSameTurn) {
  upstream_script broken = breaks_after(5ms, 0ms);
  broken.steps[1].is_same_read = true;
  kept_duel race(broken, speaks_slowly(20ms));
  race.play(5s);
  EXPECT_EQ(race.report().winner, 1u);
  check(race.stage);
}

TEST(RaceRun, BehindItsTimeTheRunnerUpIsCancelledAndTheWinnersFailureStands) {
  kept_duel race(breaks_after(5ms, 400ms), speaks_slowly(20ms));
  race.play(306ms);
  EXPECT_TRUE(race.stage.records.at(1).was_closed);
  race.stage.play(5s);
  EXPECT_EQ(race.report().attempts[1].end, attempt_end::lost);
  EXPECT_FALSE(race.report().replaced);
}

TEST(RaceRun, OneThatIsNotGrantedIsCancelledAtOnce) {
  kept_duel race(speaks_slowly(5ms), speaks_slowly(20ms), 1 << 20, false);
  race.play(6ms);
  EXPECT_EQ(race.asked, 1u);
  EXPECT_TRUE(race.stage.records.at(1).was_closed);
  EXPECT_FALSE(race.report().attempts[1].was_kept);
  race.stage.play(5s);
  check(race.stage);
}

TEST(RaceRun, WhatTheRunnerUpSaysIsBounded) {
  upstream_script chatter;
  chatter.steps.push_back({20ms, event_kind::token});
  for (int event = 0; event < 100; ++event) chatter.steps.push_back({1ms, event_kind::token, std::string(100, 'x')});
  kept_duel race(speaks_slowly(5ms), chatter, 2'000);
  race.play(100ms);
  EXPECT_TRUE(race.stage.records.at(1).was_closed) << "long before its time is over";
  race.stage.play(5s);
  EXPECT_EQ(race.report().winner, 0u);
  check(race.stage);
}

TEST(RaceRun, BothFailingIsADefeatWithBothReasons) {
  kept_duel race(breaks_after(5ms, 50ms), breaks_after(20ms, 400ms));
  race.play(5s);
  EXPECT_EQ(race.report().winner, 1u) << "it had spoken; what follows is its own";
  kept_duel silent(breaks_after(5ms, 50ms), [] {
    upstream_script script;
    script.steps = {{100ms, some_failure()}};
    return script;
  }());
  silent.play(5s);
  EXPECT_FALSE(silent.report().winner);
  EXPECT_EQ(silent.report().defeated, defeat::all_failed);
  EXPECT_TRUE(silent.report().attempts[0].why && silent.report().attempts[1].why);
  check(silent.stage);
}

}  // namespace
}  // namespace photofinish::racing
