#include "gateway/store/spend/spend_ledger.hpp"

#include "gateway/store/spend/post_codec.hpp"
#include "gateway/store/store_breaker.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr sys_seconds now{seconds(1'000'000)}, end{seconds(1'003'600)};

spend_reading reading(std::int64_t ever, std::string window = "w1", std::int64_t in_window = 0) {
  return {"team:t", std::move(window), end, ever, in_window};
}

TEST(SpendLedger, ShowsTheStoresSumAndWhatItDoesNotHave) {
  spend_ledger ledger("a");
  ledger.read(reading(5, "w1", 5), now);
  ASSERT_EQ(ledger.open_posts(now).size(), 1u);
  const spend_post first = ledger.open_posts(now).front();
  EXPECT_EQ(first.nano_usd, 5);
  EXPECT_EQ(ledger.spent(reading(7), 1), 7);
  ledger.read(reading(7), now);
  EXPECT_EQ(ledger.open_posts(now).size(), 1u) << "one at a time: it may be sent once more";
  ledger.answered(first, {105});
  EXPECT_EQ(ledger.spent(reading(7), 1), 107);
  ledger.read(reading(7), now);
  EXPECT_EQ(ledger.open_posts(now).front().nano_usd, 2);
  EXPECT_GT(ledger.open_posts(now).front().number, first.number);
}

TEST(SpendLedger, WhileTheStoreIsAwayWhatIsSpentHereStandsForOthers) {
  spend_ledger ledger("a");
  ledger.read(reading(0), now);
  EXPECT_TRUE(ledger.heard("team:t", "w1", {40}));
  EXPECT_EQ(ledger.spent(reading(10), 3), 70);
  EXPECT_EQ(ledger.spent(reading(10), 0), 50);
}

TEST(SpendLedger, WhatWasSpentBeforeAWindowsEndIsPostedToThatWindow) {
  spend_ledger ledger("a");
  ledger.read(reading(5, "w1", 5), now);
  ledger.read(reading(9, "w2"), now);
  ASSERT_EQ(ledger.open_posts(now).size(), 2u);
  EXPECT_EQ(ledger.open_posts(now)[1].window, "w1");
  EXPECT_EQ(ledger.open_posts(now)[1].nano_usd, 4);
  EXPECT_EQ(ledger.spent(reading(9, "w2"), 1), 0);
  ledger.answered(spend_post(ledger.open_posts(now)[0]), {500});
  EXPECT_EQ(ledger.spent(reading(9, "w2"), 1), 0) << "another window's sum";
}

TEST(SpendLedger, AProcessThatLearnsOfAStoreLaterPostsItsWindowAlone) {
  spend_ledger ledger("a");
  ledger.read(reading(1000, "w1", 30), now);
  EXPECT_EQ(ledger.open_posts(now).front().nano_usd, 30);
}

TEST(SpendLedger, ALyingSumIsCutAndAPostThatNoBudgetCountsIsGivenUp) {
  spend_ledger ledger("a");
  ledger.read(reading(5, "w1", 5), now);
  ledger.answered(spend_post(ledger.open_posts(now).front()), {INT64_MAX});
  EXPECT_GT(ledger.spent(reading(5), 1000), 0);
  EXPECT_FALSE(ledger.heard("team:t", "w1", {-5}));
  ledger.settled("team:t", "w1", {-5, {.epoch = 7}});  // a total may fall only with a newer epoch, which begins when the spending is reset
  EXPECT_EQ(ledger.spent(reading(5), 1), 0);
  ledger.read(reading(6), now);
  EXPECT_EQ(ledger.open_posts(end + std::chrono::hours(23)).size(), 1u);
  EXPECT_EQ(ledger.open_posts(end + std::chrono::hours(25)).size(), 0u);
  EXPECT_FALSE(ledger.has_open_post("team:t"));
}

// Simulates a store that loses connections, in some cases while data is sent, and gateways that restart with their saved data. The store
// must add each amount exactly once.
TEST(SpendLedger, EverythingIsAddedOnceWhateverIsLost) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 chance(seed);
    std::map<std::string, std::int64_t> sums;
    std::map<std::string, std::uint64_t> last;  // number of the last update that the store has added, for each writer and window
    std::int64_t ever = 0, bill = 0, run = 0;
    auto ledger = std::make_unique<spend_ledger>("run0");
    const auto exchange = [&] {
      const std::vector<spend_post> posts(ledger->open_posts(now).begin(), ledger->open_posts(now).end());
      std::vector<std::pair<spend_post, std::int64_t>> answers;
      for (const spend_post& each : posts) {
        // The connection breaks here. The store has added the earlier updates, but the gateway gets no reply.
        if (chance() % 5 == 0) return;
        std::uint64_t& seen = last[each.writer + each.window];
        if (each.number > seen) sums[each.window] += each.nano_usd, seen = each.number;
        answers.emplace_back(each, sums[each.window]);
      }
      for (const auto& [post, sum] : answers)
        if (chance() % 5 != 0) ledger->answered(post, {sum});
    };
    for (int step = 0; step < 300; ++step) {
      const std::int64_t spent = chance() % 3 == 0 ? static_cast<std::int64_t>(chance() % 50) : 0;
      ever += spent, bill += spent;
      const std::string window = "w" + std::to_string(step / 100);
      ledger->read(reading(ever, window, ever), now);
      exchange();
      if (chance() % 40 != 0) continue;
      ever += 7, bill += 7;
      ledger->read_last(reading(ever, window, ever), now);
      auto kept = decode_spend(encode_spend({{ledger->open_posts(now).begin(), ledger->open_posts(now).end()}}));
      ASSERT_TRUE(kept);
      ledger = std::make_unique<spend_ledger>("run" + std::to_string(++run));
      ledger->restore(std::move(kept->posts));  // the store may have added some of these updates before the restart
      ever = 0;
    }
    for (int tries = 0; tries < 200; ++tries) {
      ledger->read(reading(ever, "w2", ever), now);
      exchange();
    }
    std::int64_t total = 0;
    for (const auto& [window, sum] : sums) total += sum;
    EXPECT_EQ(total, bill) << "seed " << seed;
  }
}

TEST(PostCodec, ReadsWhatItWroteAndNothingElse) {
  const std::vector<spend_post> posts{{"key:a\"b", "1d.5", 7, "w", 3, end}, {"team:ü", "1w.9", 8, "w", 4, end}};
  const kept_spend kept{posts, {{"key:a", "1d.5", end, {7, {8, 9, "w"}}}}};
  EXPECT_EQ(decode_spend(encode_spend(kept)), kept);
  EXPECT_EQ(decode_spend(R"({"version":1,"posts":[]})"), kept_spend{}) << "of an older version";
  for (const char* other : {"", "[]", "{\"version\":2,\"posts\":[]}", "{\"version\":1,\"posts\":[{}]}",
                            "{\"version\":1,\"posts\":[],\"sums\":[{}]}"})
    EXPECT_FALSE(decode_spend(other)) << other;
}

TEST(StoreBreaker, OpensAfterThreeFailuresInARowAndIsTriedEachSecond) {
  const proxy::instant start{std::chrono::hours(1)};
  store_breaker breaker;
  for (int each = 0; each < 2; ++each) breaker.failed(start);
  breaker.worked();
  for (int each = 0; each < 2; ++each) breaker.failed(start);
  EXPECT_FALSE(breaker.is_open());
  EXPECT_TRUE(breaker.lets_through(start));
  breaker.failed(start);
  EXPECT_TRUE(breaker.is_open());
  EXPECT_FALSE(breaker.lets_through(start + std::chrono::milliseconds(999)));
  EXPECT_TRUE(breaker.lets_through(start + seconds(1)));
  EXPECT_FALSE(breaker.lets_through(start + seconds(1))) << "one of them";
  breaker.worked();
  EXPECT_FALSE(breaker.is_open());
}

}  // namespace
}  // namespace photofinish::gateway
