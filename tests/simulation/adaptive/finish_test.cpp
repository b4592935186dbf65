// `win_on: finish`: both start, and the tokens of who speaks first are held while the other would finish sooner. Against
// an oracle that knows both outcomes.
#include "tests/simulation/adaptive/measures.hpp"
#include "tests/simulation/adaptive/scenarios.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace photofinish::racing {
namespace {

constexpr std::uint64_t seeds = 3;

// Of each request the sooner of both, as they are to come.
double mean_of_the_sooner(const scenario& world, std::uint64_t seed) {
  double sum = 0;
  for (std::uint64_t number = 0; number < world.requests; ++number) {
    const true_request asked = draw_request(world, seed, number);
    double sooner = 1e9;
    for (std::size_t target = 0; target < world.targets.size(); ++target) {
      const true_outcome comes = draw_outcome(world, seed, number, target, 0, 0, asked.input_tokens, 1, true);
      sooner = std::min(sooner, comes.seconds + asked.output_tokens * true_decode(world.targets[target], 1));
    }
    sum += sooner;
  }
  return sum / static_cast<double>(world.requests);
}

TEST(FinishRace, TheMeanIsWithinEightPercentOfAnOracleThatKnowsBoth) {
  const scenario& world = find_scenario("finish");
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const run_result held = run_world(world, racer::all, seed, {.holds = true});
    const double mean = measure(world, held).mean, oracle = mean_of_the_sooner(world, seed);
    const double first_token_wins = measure(world, run_world(world, racer::all, seed)).mean;
    std::printf("  finish: held %.2f, first token wins %.2f, oracle %.2f, held in %.0f%% of the races\n", mean,
                first_token_wins, oracle, 100 * static_cast<double>(held.holds) / static_cast<double>(world.requests));
    EXPECT_LE(mean, 1.08 * oracle);
    EXPECT_GE(first_token_wins, 1.5 * oracle) << "so much is to be won";
  }
}

// Where the first to speak is the first to finish, next to nothing is held.
TEST(FinishRace, WhereTheFasterStarterFinishesFirstItIsNotHeld) {
  scenario world = find_scenario("finish");
  std::swap(world.targets[0].decode, world.targets[1].decode);
  const run_result held = run_world(world, racer::all, 1, {.holds = true});
  EXPECT_LE(static_cast<double>(held.holds), 0.03 * static_cast<double>(world.requests));
  EXPECT_LE(measure(world, held).mean, 1.02 * measure(world, run_world(world, racer::all, 1)).mean);
}

double mean_behind(const run_result& run, double since) {
  double sum = 0;
  std::size_t count = 0;
  for (const run_request& each : run.requests)
    if (each.at > since) sum += each.total, ++count;
  return sum / static_cast<double>(count);
}

// It hangs for five minutes: the other is held in vain only until that is known, and waited for again behind it.
TEST(FinishRace, ARivalThatHangsIsNotWaitedForUntilItIsBack) {
  scenario world = find_scenario("finish");
  world.targets[1].spells = {{.from = 0, .to = 300, .hang_share = 1}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const run_result held = run_world(world, racer::all, seed, {.holds = true});
    const run_result first_token_wins = run_world(world, racer::all, seed);
    EXPECT_LE(measure(world, held).mean, measure(world, first_token_wins).mean);
    EXPECT_LE(mean_behind(held, 600), 0.6 * mean_behind(first_token_wins, 600));
  }
}

TEST(FinishRace, OneThatAlwaysHangsAtTimesIsNoWorseThanTheFirstToken) {
  scenario world = find_scenario("finish");
  world.targets[1].spells = {{.from = 0, .to = 1e9, .hang_share = 0.3}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    EXPECT_LE(measure(world, run_world(world, racer::all, seed, {.holds = true})).mean,
              1.02 * measure(world, run_world(world, racer::all, seed)).mean);
}

TEST(FinishRace, WithAdaptiveItIsNotBehindTheFirstToken) {
  const scenario& world = find_scenario("finish");
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    EXPECT_LE(measure(world, run_world(world, racer::adaptive, seed, {.holds = true})).mean,
              1.02 * measure(world, run_world(world, racer::adaptive, seed)).mean);
}

}  // namespace
}  // namespace photofinish::racing
