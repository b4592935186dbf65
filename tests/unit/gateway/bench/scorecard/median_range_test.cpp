#include "gateway/bench/scorecard/median_range.hpp"

#include "gateway/probes/chance.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace photofinish::gateway::bench {
namespace {

// Returns random values, like latencies, with a log-normal distribution around `median`.
samples_by_round noisy(double median, double spread, std::size_t rounds, std::uint64_t seed) {
  chance draw(seed);
  samples_by_round samples(rounds);
  for (auto& round : samples) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += draw.fraction();
    round.push_back(median * std::exp(spread * normal));
  }
  return samples;
}

TEST(MedianRange, NothingIsSaidOfFewRounds) {
  EXPECT_FALSE(median_range({{1}, {2}, {3}, {4}}, 1));
  EXPECT_TRUE(median_range({{1}, {2}, {3}, {4}, {5}}, 1));
  EXPECT_FALSE(median_range({{1, 1, 1}, {2}, {3}, {4}, {}}, 1)) << "rounds, not samples";
  EXPECT_FALSE(median_of({{}, {}}));
  EXPECT_DOUBLE_EQ(*median_of({{4}, {1, 2}, {3}}), 2.5);
}

TEST(MedianRange, HoldsTheTrueMedianAboutAsOftenAsItSays) {
  int held = 0;
  constexpr int trials = 200;
  for (std::uint64_t seed = 0; seed < trials; ++seed)
    held += median_range(noisy(300, 0.3, 20, seed), seed)->holds(300) ? 1 : 0;
  EXPECT_GE(held, trials * 88 / 100);
  EXPECT_LE(held, trials * 99 / 100) << "a range that is always right says nothing";
}

TEST(MedianRange, IsNarrowerWithMoreRounds) {
  const auto few = *median_range(noisy(300, 0.3, 10, 3), 1), many = *median_range(noisy(300, 0.3, 400, 3), 1);
  EXPECT_LT(many.high - many.low, (few.high - few.low) / 2);
}

TEST(RatioRange, AClearDifferenceLeavesOneOut) {
  const auto range = *ratio_range(noisy(400, 0.1, 20, 1), noisy(300, 0.1, 20, 2), 0.95, 5);
  EXPECT_GT(range.low, 1);
  EXPECT_NEAR((range.low + range.high) / 2, 4.0 / 3, 0.1);
}

TEST(RatioRange, EqualOnesHoldOneMostOfTheTime) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    held += ratio_range(noisy(300, 0.3, 20, seed), noisy(300, 0.3, 20, seed + 1000), 0.95, seed)->holds(1) ? 1 : 0;
  EXPECT_GE(held, 88);
}

// The load varies with the time of day, and slows both endpoints by a factor of up to four. A difference of 10 % between the endpoints is
// visible only if the test compares values from the same round.
TEST(RatioRange, WhatTheHourDidToBothIsNoDifference) {
  samples_by_round fast(40), slow(40);
  chance draw(9);
  for (std::size_t i = 0; i < 40; ++i) {
    const double hour = 1 + 3 * std::sin(static_cast<double>(i) / 13) * std::sin(static_cast<double>(i) / 13);
    fast[i].push_back(100 * hour * (1 + 0.01 * draw.fraction()));
    slow[i].push_back(110 * hour * (1 + 0.01 * draw.fraction()));
  }
  const auto together = *ratio_range(slow, fast, 0.95, 1);
  EXPECT_GT(together.low, 1);
  const auto alone_slow = *median_range(slow, 1), alone_fast = *median_range(fast, 2);
  EXPECT_LT(alone_slow.low, alone_fast.high) << "each for itself says nothing";
}

TEST(RatioRange, ASeedGivesOneRange) {
  const auto of = noisy(400, 0.2, 20, 1), by = noisy(300, 0.2, 20, 2);
  EXPECT_EQ(ratio_range(of, by, 0.95, 5)->low, ratio_range(of, by, 0.95, 5)->low);
  EXPECT_FALSE(ratio_range(of, samples_by_round(20), 0.95, 5));
}

}  // namespace
}  // namespace photofinish::gateway::bench
