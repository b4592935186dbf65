// Runs 100,000 races with different seeds. They use only the rules of a race, without I/O. Checks that the invariants hold after each
// event.
#include "racing/race.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t races = 100'000;

template <class T>
T pick(std::mt19937& engine, T low, T high) { return std::uniform_int_distribution<T>(low, high)(engine); }

race_plan random_plan(std::mt19937& engine) {
  race_plan plan;
  plan.policy = static_cast<race_policy>(pick(engine, 0, 3));
  plan.target_count = pick<std::size_t>(engine, 1, 6);
  plan.max_attempts = pick<std::size_t>(engine, 1, 7);
  plan.max_parallel = pick<std::size_t>(engine, 1, 4);
  plan.hedge_delay = std::chrono::milliseconds(pick(engine, 1, 50));
  plan.race_timeout = std::chrono::milliseconds(pick(engine, 50, 400));
  plan.first_token_timeout = std::chrono::milliseconds(pick(engine, 10, 400));
  plan.disposition = pick(engine, 0, 1) == 0 ? losers::cancelled : losers::observed;
  if (plan.policy != race_policy::adaptive) return plan;
  plan.at_once = pick<std::size_t>(engine, 1, 2);
  if (pick(engine, 0, 1) == 0) plan.probe = plan.at_once - 1;
  plan.hedge_count = pick<std::size_t>(engine, 0, race_plan::max_hedges);
  for (auto& delay : plan.hedge_after) delay = std::chrono::milliseconds(pick(engine, 0, 100));
  plan.rescue_after = std::chrono::milliseconds(pick(engine, 0, 100));
  plan.rescue_only_from = pick<std::size_t>(engine, 1, 6);
  return plan;
}

// Runs one race with random events, and checks each command as soon as the race returns it.
struct observer {
  race_plan plan;
  std::set<std::size_t> running;   // all running attempts, including losers that are still observed
  std::set<std::size_t> observed;
  std::size_t started = 0;
  bool has_empty = false;
  int ends = 0;
  std::optional<instant> wake;
  instant last_start;
  std::optional<std::size_t> asking;  // number of the hedge that may start only if the budget permits it

  void take(const std::vector<race_command>& commands, instant now) {
    for (const race_command& command : commands) {
      if (auto* start = std::get_if<start_attempt>(&command)) {
        ASSERT_EQ(ends, 0) << "a start after the end";
        ASSERT_FALSE(has_empty) << "a start with an empty answer in hand";
        ASSERT_EQ(start->attempt, started++);
        ASSERT_TRUE(start->why != start_reason::failure || start->attempt < plan.rescue_only_from) << "a failure began a second round";
        running.insert(start->attempt);
        last_start = now;
      } else if (auto* asks = std::get_if<ask_to_spend>(&command)) {
        ASSERT_EQ(plan.policy, race_policy::adaptive);
        ASSERT_TRUE(ends == 0 && !asking) << "asks twice, or after the end";
        ASSERT_EQ(asks->attempt, started);
        asking = asks->attempt;
      } else if (auto* cancel = std::get_if<cancel_attempt>(&command)) {
        ASSERT_EQ(running.erase(cancel->attempt), 1u) << "cancelled twice, or never ran";
        observed.erase(cancel->attempt);
        ASSERT_TRUE(ends == 0 || cancel->cause == cancel_cause::lost);
      } else if (auto* observe = std::get_if<observe_attempt>(&command)) {
        ASSERT_TRUE(plan.disposition == losers::observed || plan.probe == observe->attempt);
        ASSERT_EQ(ends, 1) << "observed before the decision";
        ASSERT_TRUE(running.contains(observe->attempt) && observed.insert(observe->attempt).second);
      } else if (auto* wake_up = std::get_if<wake_at>(&command)) {
        wake = wake_up->when;
      } else {
        ASSERT_EQ(++ends, 1) << "ended twice";
        if (auto* win = std::get_if<name_winner>(&command)) running.erase(win->attempt);
      }
    }
    ASSERT_LE(running.size(), plan.max_parallel);
    ASSERT_LE(started, std::min(plan.target_count, plan.max_attempts));
    if (ends > 0) {
      ASSERT_EQ(running, observed) << "an attempt was left behind";
      ASSERT_TRUE(observed.empty() || (wake && *wake >= now)) << "no end of the observing is set";
    } else {
      ASSERT_FALSE(running.empty()) << "no attempt runs and the race goes on";
      ASSERT_TRUE(asking || (wake && *wake > now)) << "no wake-up is set";
    }
  }
};

std::size_t pick_running(std::mt19937& engine, const observer& seen) {
  auto chosen = seen.running.begin();
  std::advance(chosen, pick<std::size_t>(engine, 0, seen.running.size() - 1));
  return *chosen;
}

void play(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  observer seen;
  seen.plan = random_plan(engine);
  race game(seen.plan);
  const instant begin{1h};
  instant now = begin;
  seen.take(game.on(race_begun{}, now), now);
  for (int turn = 0; turn < 200 && !game.is_over() && !::testing::Test::HasFatalFailure(); ++turn) {
    // The race has asked whether it may spend money, and must get the reply in the same turn of the event loop.
    while (seen.asking && !::testing::Test::HasFatalFailure()) {
      const spending_answered answer{*std::exchange(seen.asking, std::nullopt), pick(engine, 0, 1) == 0};
      seen.take(game.on(answer, now), now);
    }
    const instant next = now + std::chrono::milliseconds(pick(engine, 0, 60));
    if (*seen.wake <= next) {  // the alarm runs exactly when it is due; random events happen before it
      now = *seen.wake;
      seen.take(game.on(alarm_struck{}, now), now);
      continue;
    }
    now = next;
    if (seen.ends > 0 && pick(engine, 0, 9) == 0) {
      seen.take(game.on(request_ended{std::chrono::milliseconds(pick(engine, 0, 100))}, now), now);
      continue;
    }
    const std::size_t attempt = pick_running(engine, seen);
    const bool was_observed = seen.observed.contains(attempt);
    switch (pick(engine, 0, 19)) {
      case 0: seen.take(game.on(client_left{}, now), now); break;
      case 1: case 2: seen.take(game.on(token_came{attempt}, now), now); break;
      case 3: case 4: case 5:
        seen.has_empty |= !was_observed;
        seen.running.erase(attempt), seen.observed.erase(attempt);
        seen.take(game.on(answer_ended{attempt}, now), now);
        break;
      case 6: case 7: case 8: case 9:
        seen.running.erase(attempt), seen.observed.erase(attempt);
        seen.take(game.on(attempt_failed{attempt}, now), now);
        break;
      default: break;
    }
  }
  EXPECT_TRUE(game.is_over()) << "a race without an end";
  EXPECT_TRUE(seen.running.empty()) << "an attempt was left behind";
  EXPECT_LE(now - begin, seen.plan.race_timeout);
  EXPECT_TRUE(game.on(alarm_struck{}, now + 1h).empty()) << "a command after the end";
}

TEST(RaceSimulation, EveryRaceEndsOnceAndLeavesNobodyBehind) {
  for (std::uint32_t seed = 0; seed < races && !::testing::Test::HasFailure(); ++seed) play(seed);
}

}  // namespace
}  // namespace photofinish::racing
