// Tests the amounts that a race takes from its route's budget. The budget has one part for hedges and one part for probes. Also tests the
// amounts that the race returns to each part.
#include "racing/race_spending.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace photofinish::racing {
namespace {

struct spending_case {
  std::shared_ptr<speculation_budget> budget = std::make_shared<speculation_budget>(0.1);
  double bucket = 0, stock = 0;

  spending_case() {
    budget->expect(100);
    bucket = budget->bucket(), stock = budget->stock();
  }
  std::unique_ptr<race_spending> race(double probe = 0, purse from = purse::stock) const {
    if (probe > 0 && from == purse::stock) { EXPECT_TRUE(budget->take_for_probe(probe)); }
    if (probe > 0 && from == purse::bucket) { EXPECT_EQ(budget->take_for_hedge(probe, 1), hedge_answer::granted); }
    return std::make_unique<race_spending>(budget, 1, probe, from);
  }
  void expect(double from_bucket, double from_stock) const {
    EXPECT_DOUBLE_EQ(budget->bucket(), bucket - from_bucket);
    EXPECT_DOUBLE_EQ(budget->stock(), stock - from_stock);
  }
};

TEST(RaceSpending, WhatARunnerUpMayCostIsTakenAndSettled) {
  const spending_case at;
  auto race = at.race();
  race->started(start_reason::first, 60);
  EXPECT_FALSE(race->take_for_keep(at.bucket + 1)) << "more than there is";
  at.expect(0, 0);
  ASSERT_TRUE(race->take_for_keep(30));
  at.expect(30, 0);
  race->settle(12, 0);
  at.expect(12, 0);
}

TEST(RaceSpending, AHedgeThatWasGrantedAndDidNotStartIsGivenBack) {
  const spending_case at;
  auto race = at.race();
  race->started(start_reason::first, 60);
  ASSERT_EQ(race->ask_for_hedge(60), hedge_answer::granted);
  at.expect(60, 0);
  race->started(start_reason::failure, 60);  // the first attempt failed before the hedge was due, so the next target started instead
  race->settle(0, 0);
  at.expect(0, 0);
}

TEST(RaceSpending, AndSoIsItWhenTheRaceAsksForTheNextOrEndsWithoutAReport) {
  const spending_case at;
  auto race = at.race();
  ASSERT_EQ(race->ask_for_hedge(60), hedge_answer::granted);
  ASSERT_EQ(race->ask_for_hedge(50), hedge_answer::granted);
  at.expect(50, 0);
  race.reset();
  at.expect(0, 0);
}

TEST(RaceSpending, ATrialIsRefundedToTheStockThatPaid) {
  const spending_case at;
  auto race = at.race(40);
  at.expect(0, 40);
  race->started(start_reason::first, 60);
  race->started(start_reason::probe, 40);
  race->settle(0, 25);
  at.expect(0, 25);
}

TEST(RaceSpending, ATrialOfASurpriseWasPaidByTheBucket) {
  const spending_case at;
  auto race = at.race(40, purse::bucket);
  race->started(start_reason::first, 60);
  race->started(start_reason::probe, 40);
  ASSERT_EQ(race->ask_for_hedge(60), hedge_answer::granted);
  race->started(start_reason::hedge, 60);
  race->settle(60, 25);
  at.expect(85, 0);
}

TEST(RaceSpending, AnAttemptThatFailedCostsNothing) {
  const spending_case at;
  auto race = at.race(40);
  race->started(start_reason::first, 60);
  race->started(start_reason::probe, 40);
  race->failed(1);
  at.expect(0, 0);
  race->settle(0, 0);
  at.expect(0, 0);
}

TEST(RaceSpending, ATrialThatNeverStartedIsGivenBackToItsPurse) {
  const spending_case at;
  for (const purse from : {purse::bucket, purse::stock}) {
    at.race(40, from).reset();
    at.expect(0, 0);
  }
}

TEST(RaceSpending, ARescueTakesWhatThereIs) {
  const spending_case at;
  auto race = at.race();
  race->started(start_reason::first, 60);
  race->started(start_reason::rescue, 50);
  race->settle(0, 0);
  at.expect(50, 0);
}

}  // namespace
}  // namespace photofinish::racing
