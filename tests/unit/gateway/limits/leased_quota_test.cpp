#include "gateway/limits/leased_quota.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr proxy::instant start{std::chrono::hours(100)};

// Grants this amount, as the store would.
void fill(leased_quota& cell, token_bucket::time amount, proxy::instant now = start) {
  cell.answered(cell.collect(now), amount, 0s, now);
}

TEST(SharedCell, NothingIsTakenThatWasNotLeased) {
  leased_quota cell;
  EXPECT_FALSE(cell.take(1s));
  fill(cell, 3s);
  EXPECT_TRUE(cell.take(2s));
  EXPECT_FALSE(cell.take(2s));
  EXPECT_TRUE(cell.take(1s));
  EXPECT_FALSE(cell.take(1ns));
}

TEST(SharedCell, WhatWaitsIsAskedForTogetherLessWhatIsHeld) {
  leased_quota cell;
  fill(cell, 1s);
  cell.want(4s);
  cell.want(3s);
  const quota_demand demand = cell.collect(start);
  EXPECT_EQ(demand.want, 6s);
  EXPECT_EQ(demand.least, 2s) << "the smaller one, less the second that is held";
  EXPECT_TRUE(demand.is_ahead);
  EXPECT_TRUE(cell.collect(start).is_empty()) << "once";
}

TEST(SharedCell, ARefusalIsKeptForAMomentAndOnlyForAsMuch) {
  leased_quota cell;
  cell.want(5s);
  cell.answered(cell.collect(start), 0s, 60s, start);
  EXPECT_TRUE(cell.is_refused(5s, start));
  EXPECT_TRUE(cell.is_refused(6s, start));
  EXPECT_FALSE(cell.is_refused(4s, start)) << "the store may have that";
  EXPECT_FALSE(cell.is_refused(5s, start + leased_quota::longest_refusal));
  EXPECT_EQ(cell.until_room(5s, start), 5s) << "until the bucket has it";
  cell.want(1ms);
  cell.answered(cell.collect(start), 0s, 60s, start);
  EXPECT_TRUE(cell.is_refused(1ms, start + 99ms)) << "however soon it may come";
}

TEST(SharedCell, ItIsFetchedAheadOnceAQuarterIsLeft) {
  leased_quota cell;
  cell.want(1s);
  cell.answered(cell.collect(start), 9s, 0s, start);  // the store grants 9 s of refill time; 1 s is used immediately, so 8 s remain
  ASSERT_TRUE(cell.take(1s));
  EXPECT_FALSE(cell.is_low());
  ASSERT_TRUE(cell.take(6s));
  EXPECT_FALSE(cell.is_low());
  ASSERT_TRUE(cell.take(1s));
  EXPECT_TRUE(cell.is_low());
  EXPECT_TRUE(cell.collect(start).is_ahead);
}

TEST(SharedCell, WhatWasFetchedAheadStaysAndIsFetchedAgainInTime) {
  leased_quota cell;
  cell.want(100ms);
  cell.answered(cell.collect(start), 3'300ms, 0s, start);
  for (int turn = 0; turn < 3; ++turn) {
    while (!cell.is_low()) ASSERT_TRUE(cell.take(100ms)) << "nothing is left, and nothing was fetched";
    const quota_demand ahead = cell.collect(start);
    EXPECT_FALSE(ahead.has_back());
    cell.answered(ahead, 3'200ms, 0s, start);
    EXPECT_TRUE(cell.collect(start + 1s).is_empty()) << "none of it goes back";
  }
}

TEST(SharedCell, WhatIsBroughtBackDoesNotEndFetchingAhead) {
  leased_quota cell;
  cell.want(1s);
  cell.answered(cell.collect(start), 9s, 0s, start);  // the store grants 9 s of refill time; 1 s is used immediately, so 8 s remain
  ASSERT_TRUE(cell.take(3s));
  cell.give_back(3s, start - 5s, start);
  const quota_demand only_back = cell.collect(start);
  ASSERT_TRUE(only_back.has_back() && !only_back.is_ahead);
  cell.answered(only_back, 0s, 0s, start);
  ASSERT_TRUE(cell.take(5s));
  EXPECT_TRUE(cell.is_low());
}

TEST(SharedCell, WithoutSpareNothingIsFetchedAhead) {
  leased_quota cell;
  cell.want(1s);
  cell.answered(cell.collect(start), 1s, 59s, start);
  ASSERT_TRUE(cell.take(1s));
  EXPECT_FALSE(cell.is_low());
  EXPECT_TRUE(cell.collect(start).is_empty());
}

TEST(SharedCell, WhatIsGivenBackIsSaidWithItsAgeAtLeast) {
  leased_quota cell;
  (void)cell.collect(start);
  const proxy::instant now = start + 500ms;
  cell.give_back(2s, now - 5s, now);
  cell.give_back(1s, now - 300s, now);
  const quota_demand demand = cell.collect(start + 1s);
  token_bucket::time all{0};
  for (const auto& each : demand.back) {
    all += each.amount;
    EXPECT_GE(each.taken_ago, each.amount == 2s ? 5'500ms : each.amount == 1s ? 300'500ms : 0ms);
  }
  EXPECT_EQ(all, 3s);
  EXPECT_FALSE(cell.collect(start + 1s).has_back()) << "once";
}

TEST(SharedCell, WhatAShortAnswerDidNotUseIsUsedAgainAtOnceAndTheRestIsForOthers) {
  leased_quota cell;
  cell.want(20s);
  cell.answered(cell.collect(start), 20s, 60s, start);
  ASSERT_TRUE(cell.take(20s));
  cell.give_back(19s, start, start + 1s);
  EXPECT_TRUE(cell.take(1s));
  EXPECT_EQ(cell.room(), 18s);
  const quota_demand demand = cell.collect(start + 1s);
  EXPECT_EQ(cell.room(), 2s) << "for two more like the last";
  EXPECT_EQ(demand.back[0].amount, 16s);
  EXPECT_EQ(demand.back[0].taken_ago, 1s);
}

TEST(SharedCell, OfALostCallWhatIsOwedIsOwedOnAndNothingIsGivenBackTwice) {
  leased_quota cell;
  cell.owe(2s);
  cell.give_back(1s, start - 5s, start);
  const quota_demand lost = cell.collect(start);
  EXPECT_EQ(lost.charge, 2s);
  EXPECT_TRUE(lost.has_back());
  cell.failed(lost);
  const quota_demand next = cell.collect(start);
  EXPECT_EQ(next.charge, 2s);
  EXPECT_FALSE(next.has_back());
}

TEST(SharedCell, ASliceThatNobodyTouchesGoesBack) {
  leased_quota cell;
  fill(cell, 4s);
  ASSERT_TRUE(cell.take(1s));
  EXPECT_FALSE(cell.rest(start)) << "it was touched";
  EXPECT_FALSE(cell.rest(start + 10s)) << "there is something to give back";
  EXPECT_EQ(cell.room(), 0s);
  const quota_demand demand = cell.collect(start + 10s);
  ASSERT_TRUE(demand.has_back());
  cell.answered(demand, 0s, 0s, start + 10s);
  EXPECT_TRUE(cell.rest(start + 20s));
}

TEST(SharedCell, ALieIsBounded) {
  leased_quota cell;
  cell.want(1s);
  cell.answered(cell.collect(start), std::chrono::hours(1000), std::chrono::hours(1000), start);
  EXPECT_LE(cell.room(), token_bucket::whole);
  EXPECT_LE(cell.until_full(start), token_bucket::longest_debt);
}

TEST(SharedCell, ManyThreadsTakeNoMoreThanThereIs) {
  leased_quota cell;
  fill(cell, 10s);
  std::atomic<int> taken = 0;
  std::vector<std::thread> workers;
  for (int each = 0; each < 4; ++each)
    workers.emplace_back([&] {
      for (int tries = 0; tries < 5000; ++tries) taken += cell.take(1ms) ? 1 : 0;
    });
  for (std::thread& each : workers) each.join();
  EXPECT_EQ(taken, 10'000);
}

}  // namespace
}  // namespace photofinish::gateway
