#include "gateway/limits/reservation_bucket.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using time = token_bucket::time;

constexpr proxy::instant start{std::chrono::hours(100)};

TEST(SettledBucket, WhatWasNotUsedIsThereAgainAtOnce) {
  reservation_bucket bucket;
  ASSERT_TRUE(bucket.take(50s, start));
  bucket.give_back(48s, start, start + 1s);
  EXPECT_EQ(bucket.room(start + 1s), 59s);
}

// A reserved amount may be returned after the bucket has refilled. The bucket must then drop the amount, because the refill has already
// replaced it. The test takes the whole bucket, takes it again after the refill, and then returns the first amount.
TEST(SettledBucket, WhatComesBackAfterTheRefillOpensNoSecondBucket) {
  reservation_bucket bucket;
  ASSERT_TRUE(bucket.take(60s, start));
  ASSERT_TRUE(bucket.take(60s, start + 60s));
  bucket.give_back(60s, start, start + 60s);
  EXPECT_FALSE(bucket.take(1s, start + 60s));
  EXPECT_TRUE(bucket.take(1s, start + 61s));
}

// Thirty large requests return their reserved amounts at the end. Until then, many small requests ensure that the bucket is never full. The
// returned amounts together must permit at most one full bucket of new requests.
TEST(SettledBucket, ATrickleDoesNotHideTheRefill) {
  reservation_bucket bucket;
  std::vector<proxy::instant> held;
  proxy::instant now = start;
  for (int each = 0; each < 30; ++each) {
    ASSERT_TRUE(bucket.take(59s, now)) << each;
    held.push_back(now);
    for (int second = 0; second < 60; ++second) {
      now += 1s;
      bucket.take(17ms, now);  // 59 s and sixty times 17 ms are slightly more than the 60 s that the bucket refills in a minute
    }
  }
  time used{0};
  for (const proxy::instant taken_at : held) {
    bucket.give_back(59s, taken_at, now);
    while (bucket.take(1s, now)) used += 1s;
  }
  EXPECT_LE(used, 61s);
}

TEST(SettledBucket, UnderLoadAReservationFarAboveTheTruthComesBack) {
  reservation_bucket bucket;
  proxy::instant now = start;
  while (bucket.take(2s, now)) {
  }
  time used{0};
  for (int each = 0; each < 600; ++each) {  // each request reserves ten times its use, and returns the remainder ten seconds later
    now += 100ms;
    std::vector<proxy::instant> running;
    if (!bucket.take(1s, now)) continue;
    bucket.give_back(900ms, now, now + 10s);
    used += 100ms;
  }
  EXPECT_GT(used, 50s);
}

// Compares the bucket with an exact model that remembers every level of the bucket. When a request returns an amount, the model adds at
// most the smallest free space since the request took the amount. The bucket must never add more than the model. It must add either the
// whole amount or at least half of this free space.
TEST(SettledBucket, GivesBackNoMoreThanWouldBeThere) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 random(seed);
    struct held {
      proxy::instant at;
      time cost, least;
    };
    reservation_bucket bucket;
    std::vector<held> all;
    proxy::instant now = start;
    for (int step = 0; step < 5'000; ++step) {
      now += time(static_cast<std::int64_t>(random() % 4'000'000'000u));
      const time missing = bucket.until_full(now);
      for (held& each : all) each.least = std::min(each.least, missing);
      if (random() % 2 == 0 || all.empty()) {
        const time cost(static_cast<std::int64_t>(random() % 20'000'000'000u));
        if (bucket.take(cost, now)) all.push_back({now, cost, time::max()});
        continue;
      }
      const std::size_t which = random() % all.size();
      const held gone = all[which];
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(which));
      bucket.give_back(gone.cost, gone.at, now);
      const time back = missing - bucket.until_full(now), exact = std::min(gone.cost, gone.least);
      ASSERT_LE(back, exact) << "seed " << seed << " step " << step;
      if (exact >= token_bucket::whole / 16) {
        ASSERT_GE(back, std::min(gone.cost, gone.least / 2) - 1ns) << step;
      }
      for (held& each : all) each.least = std::min(each.least, bucket.until_full(now));
    }
  }
}

}  // namespace
}  // namespace photofinish::gateway
