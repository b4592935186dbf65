// Tests requests under limits that several gateways share. The store leases amounts to each gateway, and requests use these amounts. While
// the store is down, each gateway uses its own part of the limit.
#include "gateway/limits/limit_hold.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr proxy::instant start{std::chrono::hours(100)};

class shared_hold : public ::testing::Test {
 protected:
  void limit(const limit_settings& its) {
    settings = its;
    claims.add(limit_scope::key, settings, *account);
  }
  void share(limit_mode mode, std::uint64_t gateways = 3) { sharing->set(mode, gateways); }

  std::optional<limit_refusal> ask(const wanted_tokens& wanted = {10, 10}, proxy::instant now = start,
                                   store_patience patience = store_patience::left) {
    auto got = limit_hold::take(claims, nullptr, wanted, now, patience);
    if (auto* refused = std::get_if<limit_refusal>(&got)) return *refused;
    held.push_back(std::get<limit_hold>(std::move(got)));
    return std::nullopt;
  }
  int admitted(int tries, proxy::instant now = start) {
    int count = 0;
    for (int each = 0; each < tries; ++each) count += ask({10, 10}, now) ? 0 : 1;
    return count;
  }
  static void lease(leased_quota& cell, token_bucket::time amount) {
    cell.answered(cell.collect(start), amount, 0s, start);
  }

  std::shared_ptr<limit_sharing> sharing = std::make_shared<limit_sharing>();
  std::shared_ptr<limit_account> account = std::make_shared<limit_account>(sharing, "key:alice");
  limit_settings settings;
  limit_claims claims;
  std::vector<limit_hold> held;
};

TEST_F(shared_hold, WithNothingLeasedTheStoreMayHaveIt) {
  limit({.requests_per_minute = 60});
  share(limit_mode::shared);
  const auto refused = ask();
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->may_be_leased);
  const accounts_asked asked = limit_hold::ask(claims, {10, 10}, start);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0], account);
  EXPECT_EQ(account->request_cell.collect(start).want, 1s);
}

TEST_F(shared_hold, WhatIsLeasedIsTakenAndNothingElse) {
  limit({.requests_per_minute = 60});
  share(limit_mode::shared);
  lease(account->request_cell, 5s);
  EXPECT_EQ(admitted(100), 5);
}

TEST_F(shared_hold, WhatTheStoreHasRefusedIsFinalForAMoment) {
  limit({.requests_per_minute = 60});
  share(limit_mode::shared);
  (void)limit_hold::ask(claims, {10, 10}, start);
  account->request_cell.answered(account->request_cell.collect(start), 0s, 60s, start);
  const auto refused = ask();
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->may_be_leased);
  EXPECT_EQ(refused->retry_after, 1s);
}

TEST_F(shared_hold, WhatIsRefusedForOneLimitTakesNothingOfAnother) {
  limit({.requests_per_minute = 60, .tokens_per_minute = 6000, .parallel_requests = 1});
  share(limit_mode::shared);
  lease(account->request_cell, 5s);
  lease(account->token_cell, 50s);
  EXPECT_TRUE(ask()) << "there is no permit";
  EXPECT_EQ(account->request_cell.room(), 5s);
  EXPECT_EQ(account->token_cell.room(), 50s);
  account->places.answered(1, 1, start);
  EXPECT_FALSE(ask());
  EXPECT_EQ(account->request_cell.room(), 4s);
  EXPECT_EQ(account->token_cell.room(), 49'800ms);
}

TEST_F(shared_hold, ApartEachGatewayKeepsToItsPart) {
  limit({.requests_per_minute = 60});
  share(limit_mode::apart);
  EXPECT_EQ(admitted(100), 20);
  EXPECT_EQ(admitted(100, start + 6s), 2) << "a third of the rate";
  EXPECT_EQ(account->request_cell.collect(start).charge, 22s) << "the store learns of all of it";
}

TEST_F(shared_hold, ApartWhatIsLeasedIsUsedFirst) {
  limit({.requests_per_minute = 60});
  share(limit_mode::apart);
  lease(account->request_cell, 5s);
  EXPECT_EQ(admitted(100), 20) << "what is leased is of the same part";
}

TEST_F(shared_hold, WhatWasUsedWithTheStoreIsUsedWithoutIt) {
  limit({.requests_per_minute = 60});
  share(limit_mode::shared);
  lease(account->request_cell, 60s);
  EXPECT_EQ(admitted(100), 60);
  share(limit_mode::apart);
  EXPECT_EQ(admitted(100), 0);
  EXPECT_EQ(admitted(100, start + 60s), 20);
}

TEST_F(shared_hold, ApartEachHasItsPartOfThePlaces) {
  limit({.parallel_requests = 9});
  share(limit_mode::apart);
  EXPECT_EQ(admitted(20), 3);
  share(limit_mode::apart, 100);
  held.clear();
  EXPECT_EQ(admitted(20), 1) << "and never none";
}

TEST_F(shared_hold, APatienceThatIsOverGoesByItsOwnPart) {
  limit({.requests_per_minute = 60});
  share(limit_mode::shared);
  int count = 0;
  while (!ask({10, 10}, start, store_patience::over)) ++count;
  EXPECT_EQ(count, 20);
}

TEST_F(shared_hold, WhatAnAnswerDidNotUseGoesBackToTheStore) {
  limit({.tokens_per_minute = 60'000});
  share(limit_mode::shared);
  lease(account->token_cell, 60s);
  ASSERT_FALSE(ask({1000, 29'000}));
  held[0].settle(1000, 2000, 0, start + 5s);
  const quota_demand demand = account->token_cell.collect(start + 5s);
  token_bucket::time back{0};
  for (const auto& each : demand.back) back += each.amount;
  EXPECT_EQ(back, 27s);
  EXPECT_EQ(demand.charge, 0s);
}

TEST_F(shared_hold, WhatAnAnswerUsedBeyondIsOwed) {
  limit({.tokens_per_minute = 60'000});
  share(limit_mode::shared);
  lease(account->token_cell, 60s);
  ASSERT_FALSE(ask({1000, 1000}));
  held[0].settle(1000, 3000, 0, start + 1s);
  EXPECT_EQ(account->token_cell.collect(start + 1s).charge, 2s);
}

// Three gateways get four times as many requests as the limit permits, and one of them gets most of these requests. The simulated store has
// one bucket for the limit. Like the real store's script, it grants the amount that is left in the bucket.
TEST_F(shared_hold, InTwentySecondsWithoutTheStoreAllOfThemAdmitWhatIsDue) {
  settings.requests_per_minute = 600;
  share(limit_mode::shared);
  std::vector<std::shared_ptr<limit_account>> gateways;
  std::vector<limit_claims> claims_of(3);
  for (limit_claims& each : claims_of) {
    gateways.push_back(std::make_shared<limit_account>(sharing, "key:alice"));
    each.add(limit_scope::key, settings, *gateways.back());
  }
  token_bucket store;
  const auto ask_store = [&](limit_account& account, proxy::instant now) {
    const quota_demand demand = account.request_cell.collect(now);
    const token_bucket::time room = store.room(now), least = std::max(demand.least, demand.want);
    const token_bucket::time given = room >= least ? std::min(room, least + 100ms) : 0ns;
    store.drain(given, now);
    account.requests_leased(demand, given, store.until_full(now), now);
  };
  const auto admits = [&](std::size_t which, proxy::instant now, bool has_store) {
    for (int tries = 0; tries < 2; ++tries) {
      const auto got = limit_hold::take(claims_of[which], nullptr, {}, now);
      if (std::holds_alternative<limit_hold>(got)) return 1;
      if (!has_store || !std::get<limit_refusal>(got).may_be_leased) return 0;
      (void)limit_hold::ask(claims_of[which], {}, now);
      ask_store(*gateways[which], now);
    }
    return 0;
  };
  int admitted = 0;
  proxy::instant now = start;
  for (int request = 0; request < 40 * 180; ++request, now += 25ms)
    admitted += admits(request % 10 < 7 ? 0u : request % 10 == 7 ? 1u : 2u, now, true);
  EXPECT_NEAR(admitted, 600 + 10 * 180, 60) << "a bucket, and its rate";
  share(limit_mode::apart);
  for (const auto& each : gateways) each->store_went_away(now);
  admitted = 0;
  for (int request = 0; request < 40 * 20; ++request, now += 25ms)
    admitted += admits(static_cast<std::size_t>(request % 3), now, false);
  EXPECT_LE(admitted, 260);
  EXPECT_GE(admitted, 190) << "each has its part of the rate";
}

TEST_F(shared_hold, TheOwnBucketIsAsFullAsTheSharedOneAndWhatIsLeased) {
  limit({.requests_per_minute = 60, .tokens_per_minute = 60'000});
  share(limit_mode::shared);
  account->requests_leased(account->request_cell.collect(start), 1s, 31s, start);
  account->tokens_leased(account->token_cell.collect(start), 1s, 31s, start);
  share(limit_mode::apart);
  account->store_went_away(start);
  EXPECT_EQ(account->requests.until_full(start), 28s) << "31, and the three that a leased second takes come back";
  EXPECT_EQ(account->tokens.until_full(start), 28s);
}

TEST_F(shared_hold, WhatWasTakenBeforeThereWasAStoreIsNotGivenBackToIt) {
  limit({.tokens_per_minute = 60'000});
  ASSERT_FALSE(ask({1000, 29'000}));
  share(limit_mode::shared);
  held[0].settle(1000, 2000, 0, start + 1s);
  EXPECT_FALSE(account->token_cell.collect(start + 1s).has_back());
}

}  // namespace
}  // namespace photofinish::gateway
