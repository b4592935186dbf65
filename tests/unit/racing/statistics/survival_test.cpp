// Compares the Kaplan-Meier estimator of survival with cases that were computed by hand.
#include "racing/statistics/survival.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace photofinish::racing {
namespace {

survival_times times(std::initializer_list<double> seen, std::initializer_list<double> censored) {
  survival_times made;
  for (const double value : seen) made.seen.add(value);
  for (const double value : censored) made.censored.add(value);
  return made;
}

void expect(const survival_times& from, double share, double seconds, bound is = bound::exact) {
  const auto got = survival_quantile_of(from, share);
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->seconds, seconds, seconds * 0.0101) << share;
  EXPECT_EQ(got->is, is) << share;
}

TEST(Survival, WithoutCensoringItIsThePlainQuantile) {
  const survival_times all = times({1, 2, 3, 4}, {});
  expect(all, 0.25, 1);
  expect(all, 0.5, 2);
  expect(all, 0.75, 3);
  expect(all, 1, 4);
}

TEST(Survival, ACensoredAgeRaisesWhatComesAfterIt) {
  // S(t) is the share of samples that are longer than t. S(1) = 4/5. One sample is censored at 2, so fewer samples remain. S(3) = 4/5 * 2/3
  // = 8/15, S(4) = 4/15, S(5) = 0.
  const survival_times all = times({1, 3, 4, 5}, {2});
  expect(all, 0.2, 1);
  expect(all, 0.4, 3);
  expect(all, 0.46, 3);
  expect(all, 0.5, 4);
  expect(all, 0.74, 5);
}

TEST(Survival, FreireichsPatientsFromTheTextbook) {
  // Weeks in remission with 6-mercaptopurine (Freireich et al. 1963). Events: 6 6 6 7 10 13 16 22 23. Censored: 6 9 10 11 17 19 20 25 32 32
  // 34 35. Share of survivors after each event: 0.857 0.807 0.753 0.690 0.627 0.538 0.448. The median is 23 weeks.
  const survival_times all =
      times({6, 6, 6, 7, 10, 13, 16, 22, 23}, {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35});
  expect(all, 0.142, 6);
  expect(all, 0.144, 7);
  expect(all, 0.246, 10);
  expect(all, 0.309, 13);
  expect(all, 0.372, 16);
  expect(all, 0.461, 22);
  expect(all, 0.5, 23);
  expect(all, 0.56, 35, bound::at_least);
}

TEST(Survival, WhenAllAreCutOffThereIsABoundAlone) {
  expect(times({}, {0.3, 0.4}), 0.5, 0.4, bound::at_least);
  EXPECT_EQ(survival_quantile_of({}, 0.5), std::nullopt);
}

TEST(Survival, ASlowProviderThatWinsOnlyItsGoodMomentsDoesNotLookFast) {
  // The provider's median time to the first token is 1 s, and its rival's median is 0.6 s. Whenever the rival wins, the provider's attempt
  // is cancelled, so the provider's longer time is never measured.
  std::mt19937 engine(5);
  std::lognormal_distribution<double> slow(0, 0.5), rival(std::log(0.6), 0.5);
  survival_times seen;
  for (int race = 0; race < 20'000; ++race) {
    const double mine = slow(engine), other = rival(engine);
    mine < other ? seen.seen.add(mine) : seen.censored.add(other);
  }
  EXPECT_LT(*seen.seen.quantile(0.5), 0.7) << "wins alone flatter it";
  const auto median = survival_quantile_of(seen, 0.5);
  EXPECT_EQ(median->is, bound::exact);
  EXPECT_NEAR(median->seconds, 1, 0.05);
}

}  // namespace
}  // namespace photofinish::racing
