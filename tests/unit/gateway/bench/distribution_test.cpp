#include "gateway/bench/distribution.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway::bench {
namespace {

TEST(Distribution, PercentilesAreThoseOfNumpy) {
  // numpy.percentile([15, 20, 35, 40, 50], [1, 5, 10, 25, 50, 75, 90, 95, 99])
  const auto all = distribution_of({50, 15, 40, 20, 35});
  ASSERT_TRUE(all);
  EXPECT_DOUBLE_EQ(all->p1, 15.2);
  EXPECT_DOUBLE_EQ(all->p5, 16);
  EXPECT_DOUBLE_EQ(all->p10, 17);
  EXPECT_DOUBLE_EQ(all->p25, 20);
  EXPECT_DOUBLE_EQ(all->p50, 35);
  EXPECT_DOUBLE_EQ(all->p75, 40);
  EXPECT_DOUBLE_EQ(all->p90, 46);
  EXPECT_DOUBLE_EQ(all->p95, 48);
  EXPECT_DOUBLE_EQ(all->p99, 49.6);
}

TEST(Distribution, SpreadIsThatOfThePopulation) {
  const auto all = distribution_of({2, 4, 4, 4, 5, 5, 7, 9});  // numpy.std of these values is 2
  EXPECT_EQ(all->count, 8u);
  EXPECT_DOUBLE_EQ(all->avg, 5);
  EXPECT_DOUBLE_EQ(all->std, 2);
  EXPECT_DOUBLE_EQ(all->min, 2);
  EXPECT_DOUBLE_EQ(all->max, 9);
}

TEST(Distribution, OneSampleIsEveryPercentile) {
  const auto all = distribution_of({7});
  EXPECT_DOUBLE_EQ(all->p1, 7);
  EXPECT_DOUBLE_EQ(all->p99, 7);
  EXPECT_DOUBLE_EQ(all->std, 0);
}

TEST(Distribution, NothingHasNone) { EXPECT_FALSE(distribution_of({})); }

}  // namespace
}  // namespace photofinish::gateway::bench
