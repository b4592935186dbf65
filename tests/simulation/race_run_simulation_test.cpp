// Runs 100,000 races with different seeds. They use race_run, scripted upstreams, and alarms that the test triggers.
#include "tests/simulation/race_run_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t races = 100'000;

template <class T>
T pick(std::mt19937& engine, T low, T high) { return std::uniform_int_distribution<T>(low, high)(engine); }

upstream_script random_script(std::mt19937& engine) {
  const auto pause = [&engine] { return std::chrono::milliseconds(pick(engine, 0, 120)); };
  upstream_script script;
  script.open_delay = pause();
  script.never_opens = pick(engine, 0, 19) == 0;
  if (pick(engine, 0, 5) == 0) script.open_failure = some_failure();
  const int steps = pick(engine, 0, 5);
  for (int step = 0; step < steps; ++step) {
    const int what = pick(engine, 0, 9);
    if (what == 0) script.steps.push_back({pause(), some_failure()});
    else if (what < 4) script.steps.push_back({pause(), event_kind::progress});
    else if (what == 4) script.steps.push_back({pause(), event_kind::reasoning_token});
    else if (what < 8) script.steps.push_back({pause(), event_kind::token, "{}", pick(engine, 0, 1) == 0});
    else script.steps.push_back({pause(), event_kind::end});
  }
  if (pick(engine, 0, 3) != 0) script.steps.push_back({pause(), event_kind::end});
  return script;
}

race_plan random_plan(std::mt19937& engine) {
  race_plan plan;
  plan.policy = static_cast<race_policy>(pick(engine, 0, 2));
  plan.target_count = pick<std::size_t>(engine, 1, 5);
  plan.max_attempts = pick<std::size_t>(engine, 1, 5);
  plan.max_parallel = pick<std::size_t>(engine, 1, 4);
  plan.wins = static_cast<win_on>(pick(engine, 0, 2));
  plan.hedge_delay = std::chrono::milliseconds(pick(engine, 1, 100));
  plan.race_timeout = std::chrono::milliseconds(pick(engine, 100, 800));
  plan.first_token_timeout = std::chrono::milliseconds(pick(engine, 50, 800));
  plan.disposition = pick(engine, 0, 1) == 0 ? losers::cancelled : losers::observed;
  return plan;
}

void play(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  world stage;
  for (int target = 0; target < 5; ++target) stage.scripts.push_back(random_script(engine));
  stage.make(random_plan(engine));
  stage.run->ask_whom_to_hold([&engine](const ask_to_hold& asked, instant) {
    std::vector<std::size_t> spoken;
    for (const auto& each : asked.attempts)
      if (each.spoke) spoken.push_back(each.attempt);
    const std::size_t best = spoken.at(pick<std::size_t>(engine, 0, spoken.size() - 1));
    return hold_choice{best, pick(engine, 0, 2) == 0 ? 0 : 0.001 * pick(engine, 1, 300)};
  });
  stage.start();
  const bool leaves = pick(engine, 0, 4) == 0;
  if (leaves) {
    stage.play(std::chrono::milliseconds(pick(engine, 0, 300)));
    stage.run->leave();
    stage.settle();
  }
  stage.play(1h);
  // if the winner sends nothing after its first token, the test closes the winner, as the session would
  if (!stage.is_finished && stage.run->report().winner) stage.run->winner().close();
  stage.play(1h);
  check(stage);
}

TEST(RaceRunSimulation, EveryRaceIsDecidedOnceAndEveryAttemptEnds) {
  for (std::uint32_t seed = 0; seed < races && !::testing::Test::HasFailure(); ++seed) play(seed);
}

TEST(RaceRun, TheClientIsServedBeforeTheLosersAreClosedAndTheyFollowInTheSameTurn) {
  world stage;
  stage.scripts = {token_after(300ms), token_after(50ms)};
  stage.make(duel(race_policy::all));
  stage.start();
  stage.play(50ms);
  ASSERT_EQ(stage.run->report().winner, 1u);
  EXPECT_TRUE(stage.losers_were_open_at_the_win);
  EXPECT_TRUE(stage.records.at(0).was_closed);
  stage.play(1s);
  check(stage);
  EXPECT_EQ(stage.run->report().attempts[0].end, attempt_end::lost);
}

TEST(RaceRun, AnErrorInFiveMillisecondsLosesToATokenInThreeHundred) {
  world stage;
  upstream_script error;
  error.steps = {{5ms, some_failure()}};
  stage.scripts = {error, token_after(300ms)};
  stage.make(duel(race_policy::all));
  stage.start();
  stage.play(1s);
  ASSERT_EQ(stage.run->report().winner, 1u);
  EXPECT_EQ(stage.run->report().attempts[0].end, attempt_end::failed);
  EXPECT_EQ(stage.run->held_events().at(0).view().json.front(), R"({"from":"token"})");
}

TEST(RaceRun, ReasoningDoesNotWinWhereOnlyVisibleTokensDo) {
  world stage;
  upstream_script thinker;
  thinker.steps = {{5ms, event_kind::reasoning_token}, {500ms, event_kind::token}, {1ms, event_kind::end}};
  stage.scripts = {thinker, token_after(100ms)};
  race_plan plan = duel(race_policy::all);
  plan.wins = win_on::visible;
  stage.make(plan);
  stage.start();
  stage.play(2s);
  EXPECT_EQ(stage.run->report().winner, 1u);
}

TEST(RaceRun, HedgeOpensTheSecondOnlyWhenTheFirstIsSilentThatLong) {
  world stage;
  stage.scripts = {token_after(300ms), token_after(300ms)};
  stage.make(duel(race_policy::hedge));
  stage.start();
  stage.play(99ms);
  EXPECT_FALSE(stage.records[1].was_opened);
  stage.alarms.advance(1ms);
  stage.settle();
  EXPECT_TRUE(stage.records[1].was_opened);
  stage.play(1s);
  check(stage);
}

TEST(RaceRun, AnAttemptThatSpeaksTooLongWithoutATokenFails) {
  world stage;
  upstream_script chatter;
  for (int event = 0; event < 100; ++event)
    chatter.steps.push_back({1ms, event_kind::progress, std::string(100, 'x')});
  stage.scripts = {chatter};
  race_plan plan = duel(race_policy::all);
  plan.target_count = 1;
  stage.make(plan, 1000);
  stage.start();
  stage.play(1s);
  ASSERT_TRUE(stage.run->report().attempts.at(0).why);
  EXPECT_EQ(stage.run->report().attempts[0].why->kind, proxy::failure_kind::bad_stream);
  EXPECT_TRUE(stage.records[0].was_closed);
}

upstream_script burst() {
  return {.steps = {{5ms, event_kind::progress, "{1}"}, {0ms, event_kind::token, "{2}", true},
                    {0ms, event_kind::token, "{3}", true}, {0ms, event_kind::end, "", true}}};
}

TEST(RaceRun, AWinnersWholeReadIsTakenBeforeAnybodyElseReads) {
  world stage;
  stage.scripts = {burst(), token_after(1s)};
  stage.make(duel(race_policy::all));
  stage.start();
  stage.play(5s);
  check(stage);
  auto& held = stage.run->held_events();
  ASSERT_EQ(held.size(), 4u);
  EXPECT_EQ(held[2].view().json.front(), "{3}");
  EXPECT_EQ(held[3].kind(), event_kind::end);
}

TEST(RaceRun, WhatAWinnersUpstreamCanKeepIsNotHeld) {
  world stage;
  stage.scripts = {burst(), token_after(1s)};
  stage.scripts[0].keeps_unread = true;
  stage.make(duel(race_policy::all));
  stage.start();
  stage.play(5s);
  check(stage);
  EXPECT_EQ(stage.run->held_events().size(), 2u);
  EXPECT_EQ(stage.events_after_the_win, 1u) << "the end is no event of the relay's";
}

TEST(RaceRun, ATokenWinsAlthoughItsReadEndsInAFailureAndTheFailureFollows) {
  world stage;
  upstream_script script;
  script.steps = {{5ms, event_kind::token, "{1}"}, {0ms, some_failure(), "", true}};
  stage.scripts = {script, token_after(1s)};
  stage.make(duel(race_policy::all));
  stage.start();
  stage.play(5ms);
  EXPECT_EQ(stage.run->report().winner, 0u);
  EXPECT_TRUE(stage.run->held_failure().has_value());
  stage.run->winner().close();
  stage.play(5s);
}

race_plan observed_duel() {
  race_plan plan = duel(race_policy::all);
  plan.disposition = losers::observed;
  return plan;
}

TEST(RaceRun, AnObservedLoserRunsToItsFirstTokenAndNoFurther) {
  world stage;
  stage.scripts = {token_after(300ms), token_after(50ms)};
  stage.scripts[1].steps[1].delay = 1s;  // delays the end of the answer, so that the loser's token arrives while the answer is still being
                                         // read
  stage.make(observed_duel());
  stage.start();
  stage.play(50ms);
  ASSERT_EQ(stage.run->report().winner, 1u);
  EXPECT_FALSE(stage.records.at(0).was_closed);
  stage.play(250ms);
  EXPECT_TRUE(stage.records.at(0).was_closed);
  stage.play(2s);
  check(stage);
  const attempt_report& loser = stage.run->report().attempts[0];
  EXPECT_TRUE(loser.was_observed);
  EXPECT_EQ(loser.summary.first_token_at.value() - loser.started_at, 300ms);
  EXPECT_EQ(stage.run->report().decided_at - stage.run->report().begun_at, 50ms) << "the decision stays where it was";
  for (const proxy::kept_event& held : stage.run->held_events()) EXPECT_EQ(held.read_at() - loser.started_at, 50ms);
}

TEST(RaceRun, AnObservedLoserHasItsGraceBehindTheAnswerAndNoMore) {
  world stage;
  stage.scripts = {token_after(10s), token_after(50ms)};
  stage.make(observed_duel());
  stage.start();
  stage.play(51ms);
  EXPECT_FALSE(stage.records.at(0).was_closed);
  stage.play(stage.grace);
  EXPECT_TRUE(stage.records.at(0).was_closed);
  check(stage);
  EXPECT_FALSE(stage.run->report().attempts[0].summary.first_token_at);
}

TEST(RaceRun, ObservingEndsWithTheRaceTimeoutThoughTheAnswerGoesOn) {
  world stage;
  stage.scripts = {token_after(10s), token_after(50ms)};
  stage.scripts[1].steps[1].delay = 1h;
  stage.make([] { race_plan plan = observed_duel(); plan.race_timeout = 400ms; return plan; }());
  stage.start();
  stage.play(399ms);
  EXPECT_FALSE(stage.records.at(0).was_closed);
  stage.play(1ms);
  EXPECT_TRUE(stage.records.at(0).was_closed);
  EXPECT_FALSE(stage.records.at(1).was_closed);
  stage.run->winner().close();
  stage.play(1s);
  check(stage);
}

TEST(RaceRun, AClientThatLeavesEndsTheObservingAtOnce) {
  world stage;
  stage.scripts = {token_after(10s), token_after(50ms)};
  stage.scripts[1].steps[1].delay = 1h;
  stage.make(observed_duel());
  stage.start();
  stage.play(60ms);
  stage.run->leave();
  EXPECT_TRUE(stage.records.at(0).was_closed);
  stage.run->winner().close();
  stage.play(1s);
  check(stage);
}

TEST(RaceRun, AnObservedLoserThatFailsHasLostAllTheSame) {
  world stage;
  upstream_script broken;
  broken.steps = {{100ms, some_failure()}};
  stage.scripts = {broken, token_after(50ms)};
  stage.scripts[1].steps[1].delay = 1s;
  stage.make(observed_duel());
  stage.start();
  stage.play(5s);
  check(stage);
  EXPECT_EQ(stage.run->report().attempts[0].end, attempt_end::lost);
  EXPECT_TRUE(stage.records.at(0).was_closed);
}

TEST(RaceRun, LeavingClosesEveryAttemptAtOnce) {
  world stage;
  stage.scripts = {token_after(300ms), token_after(300ms)};
  stage.make(duel(race_policy::all));
  stage.start();
  stage.play(10ms);
  stage.run->leave();
  EXPECT_TRUE(stage.records[0].was_closed && stage.records[1].was_closed);
  stage.play(0ms);
  check(stage);
  EXPECT_EQ(stage.run->report().defeated, defeat::client_left);
}

}  // namespace
}  // namespace photofinish::racing
