// Tests the guarantees of the quantile sketch: errors of at most 1 %, exact merges, and bounded memory.
#include "racing/statistics/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace photofinish::racing {
namespace {

std::vector<double> lognormal(std::uint32_t seed, std::size_t count, double median, double sigma) {
  std::mt19937 engine(seed);
  std::lognormal_distribution<double> draw(std::log(median), sigma);
  std::vector<double> values(count);
  for (double& value : values) value = draw(engine);
  return values;
}

sketch sketch_of(const std::vector<double>& values) {
  sketch made;
  for (const double value : values) made.add(value);
  return made;
}

TEST(Sketch, EveryQuantileIsWithinOnePercentOfTheTruth) {
  for (const double median : {0.02, 0.4, 12.0, 480.0}) {
    std::vector<double> values = lognormal(7, 20'001, median, 0.7);
    const sketch made = sketch_of(values);
    std::sort(values.begin(), values.end());
    for (const double share : {0.001, 0.05, 0.5, 0.95, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
      const double truth = values[std::max<std::size_t>(rank, 1) - 1];
      EXPECT_NEAR(*made.quantile(share), truth, truth * sketch::relative_error * 1.0001) << median << " " << share;
    }
  }
}

TEST(Sketch, EveryBucketStandsForItsValuesWithinOnePercent) {
  for (double value = sketch::least; value < sketch::most; value *= 1.003)
    EXPECT_NEAR(sketch::value_of(sketch::bucket_of(value)), value, value * sketch::relative_error * 1.0001);
}

TEST(Sketch, MergingIsTheSameAsCountingTogether) {
  std::mt19937 engine(11);
  for (int turn = 0; turn < 50; ++turn) {
    const auto seed = static_cast<std::uint32_t>(turn);
    const auto one = lognormal(seed, engine() % 400, 0.3, 1), other = lognormal(~seed, engine() % 400, 3, 1);
    std::vector<double> all = one;
    all.insert(all.end(), other.begin(), other.end());
    sketch merged = sketch_of(one);
    merged.merge(sketch_of(other));
    EXPECT_EQ(merged, sketch_of(all));
    EXPECT_EQ(merged.count(), all.size());
  }
}

TEST(Sketch, MergingWithItselfDoublesEveryCount) {
  sketch made = sketch_of({1, 2, 2});
  made.merge(made);
  EXPECT_EQ(made.count(), 6u);
}

TEST(Sketch, WhatIsNoPositiveNumberIsLeftOut) {
  sketch made;
  for (const double odd : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) EXPECT_FALSE(made.add(odd));
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(made.quantile(0.5), std::nullopt);
}

TEST(Sketch, WhatLiesOutsideCountsInTheOutermostBuckets) {
  sketch made;
  made.add(1e-9);
  made.add(1e300);
  EXPECT_NEAR(*made.quantile(0), sketch::least, sketch::least * 0.01);
  EXPECT_NEAR(*made.quantile(1), sketch::most, sketch::most * 0.01);
}

TEST(Sketch, HoldsNoMoreBinsThanThereAreBucketsAndLittleMemoryBesideThem) {
  sketch made;
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> draw(-12, 14);
  for (int i = 0; i < 200'000; ++i) made.add(std::exp(draw(engine)));
  EXPECT_LE(made.bins().size(), sketch::bucket_count());
  EXPECT_LT(sketch::bucket_count(), 1000u);
  EXPECT_LE(made.memory_bytes(), (made.bins().size() + 8) * sizeof(sketch::bin));
}

TEST(Sketch, ACountThatWouldOverflowStaysAtItsLargest) {
  constexpr auto largest = std::numeric_limits<std::uint32_t>::max();
  sketch made;
  made.add(sketch::bucket_of(1), largest);
  made.add(1);
  sketch other = made;
  made.merge(other);
  EXPECT_EQ(made.bins()[0].count, largest);
}

}  // namespace
}  // namespace photofinish::racing
