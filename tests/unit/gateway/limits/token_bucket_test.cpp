#include "gateway/limits/token_bucket.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using time = token_bucket::time;

constexpr proxy::instant start{std::chrono::hours(100)};

constexpr time each_of_60 = 1s;

int taken_at(token_bucket& bucket, proxy::instant now) {
  int count = 0;
  while (bucket.take(each_of_60, now)) ++count;
  return count;
}

TEST(TokenBucket, HoldsAMinuteAndIsRefilledSteadily) {
  token_bucket bucket;
  EXPECT_EQ(taken_at(bucket, start), 60);
  EXPECT_EQ(taken_at(bucket, start + 999ms), 0);
  EXPECT_EQ(taken_at(bucket, start + 1s), 1);
  EXPECT_EQ(taken_at(bucket, start + 11s), 10);
  EXPECT_EQ(taken_at(bucket, start + 24h), 60);
}

TEST(TokenBucket, SaysWhenItsNextFitsAndWhenItIsFull) {
  token_bucket bucket;
  EXPECT_EQ(bucket.until_full(start), 0s);
  EXPECT_EQ(bucket.until_room(60s, start), 0s);
  ASSERT_TRUE(bucket.take(60s, start));
  EXPECT_EQ(bucket.until_full(start), 60s);
  EXPECT_EQ(bucket.until_room(1s, start), 1s);
  EXPECT_EQ(bucket.until_room(10s, start + 4s), 6s);
  EXPECT_FALSE(bucket.take(10s, start + 9s));
  EXPECT_TRUE(bucket.take(10s, start + 10s));
}

TEST(TokenBucket, WhatIsGivenBackIsThereAgainAndNeverMoreThanFull) {
  token_bucket bucket;
  ASSERT_TRUE(bucket.take(30s, start));
  bucket.give_back(20s);
  EXPECT_EQ(bucket.room(start), 50s);
  bucket.give_back(500s);
  EXPECT_EQ(bucket.room(start), 60s);
  EXPECT_EQ(taken_at(bucket, start), 60);
}

TEST(TokenBucket, DebtIsPaidBeforeTheNextIsTaken) {
  token_bucket bucket;
  bucket.charge(100s, start);
  EXPECT_EQ(bucket.room(start), 0s);
  EXPECT_EQ(bucket.until_room(1s, start), 41s);
  EXPECT_FALSE(bucket.take(1s, start + 40s));
  EXPECT_TRUE(bucket.take(1s, start + 41s));
}

TEST(TokenBucket, WhatIsChargedLateCountsFromThenOn) {
  token_bucket bucket;
  ASSERT_TRUE(bucket.take(30s, start));
  bucket.charge(20s, start + 10min);
  EXPECT_EQ(bucket.room(start + 10min), 40s);
}

TEST(TokenBucket, UnitsAndTimesAgree) {
  for (const std::uint64_t rate : {1ull, 7ull, 60ull, 1000ull, 4'000'000ull, 1'000'000'000ull}) {
    EXPECT_EQ(token_bucket::units_in(token_bucket::whole, rate), rate);
    EXPECT_EQ(token_bucket::units_in(time(0), rate), 0u) << rate;
    EXPECT_GE((token_bucket::time_of(1, rate) + 1ns).count(), 60'000'000'000 / static_cast<std::int64_t>(rate)) << rate;
    for (const std::uint64_t share : {1ull, 3ull, 29ull, 58ull}) {
      const std::uint64_t left = rate * share / 100;
      EXPECT_EQ(token_bucket::units_in(token_bucket::whole - token_bucket::time_of(rate - left, rate), rate), left);
    }
  }
  EXPECT_GT(token_bucket::time_of(UINT64_MAX, 1).count(), 0);  // providers may report any number of tokens; the time must not overflow
}

TEST(TokenBucket, AMinutesWorthFitsAtOnceAtAnyRate) {
  for (std::uint64_t rate = 1; rate < 2000; rate += 3) {
    token_bucket bucket;
    const time one = token_bucket::time_of(1, rate);
    std::uint64_t taken = 0;
    while (bucket.take(one, start)) ++taken;
    EXPECT_EQ(taken, rate);
  }
}

// Takes random amounts at random times. The bucket must never grant more than its content plus its refill, and must grant every amount that
// an ideal bucket would grant.
TEST(TokenBucket, NeverOverItsBoundNeverStarved) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    std::mt19937 random(seed);
    token_bucket bucket;
    proxy::instant now = start;
    std::int64_t taken = 0;
    double level = 60e9;  // the level of an ideal bucket, for comparison
    for (int step = 0; step < 20'000; ++step) {
      const auto passed = time(static_cast<std::int64_t>(random() % 2'000'000'000u));
      now += passed;
      level = std::min(60e9, level + static_cast<double>(passed.count()));
      const time cost(static_cast<std::int64_t>(random() % 5'000'000'000u));
      const bool fits = static_cast<double>(cost.count()) <= level;
      ASSERT_EQ(bucket.take(cost, now), fits) << "seed " << seed << " step " << step;
      if (!fits) continue;
      level -= static_cast<double>(cost.count());
      taken += cost.count();
      ASSERT_LE(taken, token_bucket::whole.count() + time(now - start).count()) << "seed " << seed;
    }
  }
}

TEST(TokenBucket, ManyThreadsTakeExactlyWhatThereIs) {
  token_bucket bucket;
  std::atomic<int> taken = 0;
  for (int second = 0; second < 20; ++second) {
    std::vector<std::thread> threads;
    for (int each = 0; each < 4; ++each)
      threads.emplace_back([&] { taken += taken_at(bucket, start + std::chrono::seconds(second)); });
    for (std::thread& each : threads) each.join();
    ASSERT_EQ(taken, 60 + second);
  }
}

}  // namespace
}  // namespace photofinish::gateway
