// Tests the budget that pays for losing attempts: its limits, the gain that a hedge must promise, bursts of requests, and fairness between
// callers.
#include "racing/adaptive/speculation_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace photofinish::racing {
namespace {

TEST(SpeculationBudget, BeginsWithThreeUsualRequests) {
  speculation_budget budget(0.1);
  EXPECT_EQ(budget.take_for_hedge(1, 0), hedge_answer::empty);
  budget.expect(100);
  EXPECT_DOUBLE_EQ(budget.bucket() + budget.stock(), 300);
  budget.expect(100);
  EXPECT_DOUBLE_EQ(budget.bucket() + budget.stock(), 300);
}

TEST(SpeculationBudget, WithoutAShareNothingIsGranted) {
  speculation_budget budget(0);
  budget.expect(100);
  for (int n = 0; n < 1'000; ++n) budget.won(100, 0.5, 0);
  budget.tick(1);
  EXPECT_EQ(budget.take_for_hedge(0.001, 0), hedge_answer::empty);
  EXPECT_FALSE(budget.take_for_probe(0.001));
}

// Sends random requests with random costs. Spending must never exceed the permitted share of the winners' costs plus the largest amount
// that the budget can accumulate.
TEST(SpeculationBudget, NeverSpendsMoreThanItsShareAndAMinutesWorth) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 engine(seed);
    std::lognormal_distribution<double> cost(0, 1.5);
    speculation_budget budget(0.1);
    double won = 0, spent = 0, largest = 0, minute = 0, most_minute = 0;
    budget.expect(3);
    largest = 9;
    for (int second = 0; second < 1'200; ++second) {
      for (int n = 0; n < 4; ++n) {
        const double loss = cost(engine), win = loss + cost(engine);
        if (budget.take_for_hedge(loss, static_cast<caller_id>(n)) == hedge_answer::granted) spent += loss;
        if (budget.take_for_probe(loss)) spent += loss;
        budget.won(win, 0.5, static_cast<caller_id>(n));
        won += win, minute += win;
        largest = std::max(largest, 3 * win);
      }
      budget.tick(1);
      minute *= std::exp(-1.0 / 60);
      most_minute = std::max(most_minute, minute);
      ASSERT_LE(spent, 0.1 * won + 0.1 * most_minute + largest) << "seed " << seed << ", second " << second;
    }
    EXPECT_GT(spent, 0.08 * won);
  }
}

TEST(SpeculationBudget, ThePriceRisesAsTheBucketEmptiesAndWhileTooMuchIsSpent) {
  speculation_budget budget(0.1);
  budget.expect(100);
  for (int second = 0; second < 90; ++second) {
    for (int n = 0; n < 4; ++n) budget.won(100, 0.5, 0);
    budget.tick(1);
  }
  const double full = budget.tick(1).price;
  while (budget.take_for_hedge(50, 0) == hedge_answer::granted) {}
  const budget_reading empty = budget.tick(1);
  EXPECT_GT(empty.price, full);
  EXPECT_LT(empty.fill, 0.2);
  for (int second = 0; second < 60; ++second) {
    for (int n = 0; n < 4; ++n) budget.won(100, 0.5, 0);
    budget.tick(1);
  }
  EXPECT_LT(budget.tick(1).price, empty.price);
}

TEST(SpeculationBudget, ARescueIsNeverAskedAndLeavesNoDebt) {
  speculation_budget budget(0.1);
  budget.expect(100);
  budget.take_for_rescue(1e9);
  EXPECT_EQ(budget.bucket(), 0);
  EXPECT_EQ(budget.take_for_hedge(1, 0), hedge_answer::empty);
}

TEST(SpeculationBudget, WhatWasTakenAndNotLostComesBack) {
  speculation_budget budget(0.1);
  budget.expect(100);
  const double before = budget.bucket();
  ASSERT_EQ(budget.take_for_hedge(60, 0), hedge_answer::granted);
  budget.give_back(60, purse::bucket);
  EXPECT_DOUBLE_EQ(budget.bucket(), before);
  budget.give_back(-30, purse::bucket);  // the first attempt lost, and cost more than the hedge
  EXPECT_DOUBLE_EQ(budget.bucket(), before - 30);
}

TEST(SpeculationBudget, WhatATrialDidNotLoseComesBackToTheStockThatPaid) {
  speculation_budget budget(0.1);
  budget.expect(100);
  const double stock = budget.stock(), bucket = budget.bucket();
  ASSERT_TRUE(budget.take_for_probe(40));
  ASSERT_EQ(budget.take_for_hedge(50, 0), hedge_answer::granted);
  budget.give_back(40, purse::stock);
  EXPECT_DOUBLE_EQ(budget.stock(), stock);
  EXPECT_DOUBLE_EQ(budget.bucket(), bucket - 50);
  budget.give_back(30, purse::stock);  // the probes' part of the budget is full, so the returned amount goes to the hedges' part
  EXPECT_DOUBLE_EQ(budget.stock(), stock);
  EXPECT_DOUBLE_EQ(budget.bucket(), bucket - 20);
}

// One caller sends ten times as many requests as another caller, and tries to use the whole budget. The other caller must still get its
// hedges.
TEST(SpeculationBudget, OneCallerDoesNotUseUpWhatOthersBring) {
  speculation_budget budget(0.1);
  budget.expect(100);
  int asked = 0, granted = 0;
  for (int second = 0; second < 600; ++second) {
    for (int n = 0; n < 10; ++n) budget.won(10, 0.5, 1), budget.take_for_hedge(60, 1);
    budget.won(100, 0.5, 2);
    if (second % 20 == 19 && second > 120) {
      ++asked;
      granted += budget.take_for_hedge(60, 2) == hedge_answer::granted ? 1 : 0;
    }
    budget.tick(1);
  }
  EXPECT_GE(granted, asked * 9 / 10);
}

TEST(SpeculationBudget, GarbageChangesNothing) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  speculation_budget budget(0.1);
  budget.expect(nan), budget.expect(-1), budget.expect(100);
  const double before = budget.bucket();
  budget.won(nan, nan, 0), budget.correct(nan), budget.give_back(nan, purse::bucket);
  budget.take_for_rescue(nan), budget.take_for_rescue(-1);
  EXPECT_EQ(budget.take_for_hedge(nan, 0), hedge_answer::empty);
  EXPECT_EQ(budget.take_for_hedge(-1, 0), hedge_answer::empty);
  EXPECT_EQ(budget.bucket(), before);
  EXPECT_TRUE(std::isfinite(budget.tick(nan).price));
  EXPECT_EQ(speculation_budget(nan).share(), 0);
}

}  // namespace
}  // namespace photofinish::racing
