#include "gateway/limits/limit_hold.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr proxy::instant start{std::chrono::hours(100)};

class limits : public ::testing::Test {
 protected:
  void charge(limit_scope scope, const limit_settings& its) {
    accounts.push_back(std::make_unique<limit_account>());
    settings.push_back(std::make_unique<limit_settings>(its));
    claims.add(scope, *settings.back(), *accounts.back());
  }

  // Requests admission. Returns nothing if the request is admitted, or the refusal if it is not.
  std::optional<limit_refusal> ask(const wanted_tokens& wanted = {10, 10}, proxy::instant now = start) {
    auto got = limit_hold::take(claims, nullptr, wanted, now);
    if (auto* refused = std::get_if<limit_refusal>(&got)) return *refused;
    held.push_back(std::get<limit_hold>(std::move(got)));
    return std::nullopt;
  }
  int admitted(int tries, proxy::instant now = start) {
    int count = 0;
    for (int each = 0; each < tries; ++each) count += ask({10, 10}, now) ? 0 : 1;
    return count;
  }
  std::uint64_t tokens_left(std::size_t of, proxy::instant now = start) {
    return token_bucket::units_in(accounts[of]->tokens.room(now), settings[of]->tokens_per_minute);
  }

  std::vector<std::unique_ptr<limit_settings>> settings;
  std::vector<std::unique_ptr<limit_account>> accounts;
  limit_claims claims;
  std::vector<limit_hold> held;
};

TEST_F(limits, WithoutAnyEverythingIsAdmitted) { EXPECT_EQ(admitted(1000), 1000); }

TEST_F(limits, RequestsPerMinuteAreABucket) {
  charge(limit_scope::key, {.requests_per_minute = 60});
  EXPECT_EQ(admitted(100), 60);
  const auto refused = ask();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, limit_kind::requests);
  EXPECT_EQ(refused->retry_after, 1s);
  EXPECT_EQ(admitted(100, start + 5s), 5);
}

TEST_F(limits, RequestsThatUseNoProviderHaveABucketOfTheirOwn) {
  charge(limit_scope::key, {.requests_per_minute = 60});
  charge(limit_scope::team, {.requests_per_minute = 2});
  const auto admitted_aside = [this](int tries, proxy::instant now) {
    int count = 0;
    for (int each = 0; each < tries; ++each) count += limit_hold::take_side_request(claims, now) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(admitted_aside(100, start), 60);
  EXPECT_EQ(limit_hold::take_side_request(claims, start)->kind, limit_kind::requests);
  EXPECT_EQ(limit_hold::take_side_request(claims, start)->retry_after, 1s);
  EXPECT_EQ(admitted(100), 2) << "other requests have all that they had";
  EXPECT_EQ(admitted_aside(100, start + 5s), 5);
}

TEST_F(limits, APlaceIsFreeAgainHoweverItsRequestEnds) {
  charge(limit_scope::key, {.parallel_requests = 2});
  EXPECT_EQ(admitted(5), 2);
  EXPECT_EQ(ask()->kind, limit_kind::parallel);
  held[0].leave();
  held[0].leave();  // a second call of leave() has no effect
  EXPECT_EQ(admitted(5), 1);
  held.clear();  // destroys the limit_hold objects without calling leave(), as an exception would
  EXPECT_EQ(accounts[0]->running(), 0u);
  EXPECT_EQ(admitted(5), 2);
}

TEST_F(limits, AHoldThatIsMovedLeavesOnce) {
  charge(limit_scope::key, {.parallel_requests = 2});
  ASSERT_FALSE(ask());
  limit_hold moved = std::move(held[0]);
  held.clear();
  EXPECT_EQ(accounts[0]->running(), 1u);
  moved = limit_hold();
  EXPECT_EQ(accounts[0]->running(), 0u);
}

TEST_F(limits, WhatOneLimitRefusesUsesUpNoOther) {
  charge(limit_scope::key, {.requests_per_minute = 60, .tokens_per_minute = 1000});
  charge(limit_scope::team, {.parallel_requests = 1});
  EXPECT_EQ(admitted(50), 1);
  held.clear();
  EXPECT_EQ(tokens_left(0), 980u);
  EXPECT_EQ(accounts[0]->requests.until_full(start), 1s);
}

TEST_F(limits, OfSeveralAccountsEachMustHaveRoom) {
  charge(limit_scope::key, {.requests_per_minute = 600});
  charge(limit_scope::team, {.requests_per_minute = 6});
  EXPECT_EQ(admitted(100), 6);
  const auto refused = ask();
  EXPECT_EQ(refused->claim.scope, limit_scope::team);
  EXPECT_EQ(refused->retry_after, 10s);
}

TEST_F(limits, TokensAreReservedAndSettled) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  ASSERT_FALSE(ask({100, 500}));
  EXPECT_EQ(tokens_left(0), 400u);
  held[0].settle(90, 10, 0, start);
  EXPECT_EQ(tokens_left(0), 900u);
  ASSERT_FALSE(ask({100, 100}));
  held[1].settle(100, 1700, 0, start);  // the request uses more tokens than it reserved, and owes the difference
  EXPECT_EQ(tokens_left(0), 0u);
  const auto refused = ask({10, 0});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, limit_kind::tokens);
  EXPECT_EQ(accounts[0]->tokens.until_full(start), 114s);  // the bucket lacks 1900 tokens, and refills by 1000 tokens per minute
}

TEST_F(limits, WhatAProviderClaimsNeverOpensABucket) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  ASSERT_FALSE(ask({100, 100}));
  held[0].settle(UINT64_MAX, UINT64_MAX, 0, start);
  EXPECT_EQ(tokens_left(0, start + 59min), 0u);
  EXPECT_EQ(tokens_left(0, start + 60min), 1000u);  // even the largest possible usage blocks an access key only for a limited time
  EXPECT_LE(accounts[0]->tokens.put_off(start), 24h);
}

// Forty requests arrive at once, and none of them limits the length of its answer. If the key's limit assumed short answers, it would admit
// all of them.
TEST_F(limits, ABurstOfUnknownLengthsIsLimited) {
  charge(limit_scope::key, {.tokens_per_minute = 25'000});
  int count = 0;
  for (int each = 0; each < 40; ++each) count += ask({10, {}}) ? 0 : 1;
  EXPECT_LE(count, 24);
  EXPECT_GE(count, 20) << "and short answers are not held up";
}

TEST_F(limits, AMeanOfShortAnswersOpensNoBurst) {
  charge(limit_scope::key, {.tokens_per_minute = 25'000});
  for (int each = 0; each < 200; ++each) {
    ASSERT_FALSE(ask({1, {}}, start + each * 1min));
    held.back().settle(1, 1, 0, start + each * 1min);
  }
  int count = 0;
  for (int each = 0; each < 100; ++each) count += ask({1, {}}, start + 201min) ? 0 : 1;
  EXPECT_LE(count, 25);
}

TEST_F(limits, EachAnswerOfUnknownLengthCounts) {
  charge(limit_scope::key, {.tokens_per_minute = 25'000});
  ASSERT_FALSE(ask({.input = 10, .answers = 20}));
  EXPECT_LE(tokens_left(0), 25'000u - 20 * 1024);
  EXPECT_TRUE(ask({.input = 10, .answers = 20}));
  held.back().settle(10, 20 * 300, 0, start);
  EXPECT_LT(accounts[0]->usual_answer(), 300u) << "the mean is of one answer";
}

TEST_F(limits, ASmallLimitHasRoomForAFewUnknownLengths) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  int count = 0;
  for (int each = 0; each < 10; ++each) count += ask({10, {}}) ? 0 : 1;
  EXPECT_EQ(count, 3);  // at first, the limit assumes 256 output tokens for each request
}

// The requests of one minute use as many tokens as the limit permits in three hours. The key works again after one hour, but only at half
// its rate until it has paid back the excess.
TEST_F(limits, DebtBeyondAnHourIsPaidWithHalfOfTheRate) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  ASSERT_FALSE(ask({0, 500}));
  held[0].settle(0, 181'000, 0, start);
  EXPECT_TRUE(ask({0, 10}, start + 59min));
  int used = 0;
  for (int second = 0; second < 3600; ++second)
    if (const auto now = start + 60min + second * 1s; !ask({0, 10}, now)) {
      held.back().settle(0, 10, 0, now);
      used += 10;
    }
  EXPECT_NEAR(used, 60 * 1000 / 2, 1100);  // in the second hour, the key may use tokens at half of the permitted rate
  EXPECT_NEAR(static_cast<double>(accounts[0]->tokens.put_off(start + 120min) / 1min), 90, 2);
}

// A client may reserve far more tokens than it uses. It is charged only for the tokens that it uses.
TEST_F(limits, AClaimOfAWholeBucketDoesNotHideADebt) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  ASSERT_FALSE(ask({0, 500}));
  held[0].settle(0, 121'000, 0, start);
  const auto before = accounts[0]->tokens.put_off(start + 61min);
  ASSERT_FALSE(ask({0, 1000}, start + 61min));
  held[1].settle(0, 500, 0, start + 61min);
  EXPECT_EQ(tokens_left(0, start + 61min), 0u) << "500, and as much for the debt";
  EXPECT_NEAR(static_cast<double>((before - accounts[0]->tokens.put_off(start + 61min)) / 1s), 30, 1);
}

TEST_F(limits, ADebtIsPaidByTimeToo) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  ASSERT_FALSE(ask({0, 500}));
  held[0].settle(0, 181'000, 0, start);
  EXPECT_NEAR(static_cast<double>(accounts[0]->tokens.put_off(start) / 1min), 121, 1);
  EXPECT_EQ(accounts[0]->tokens.put_off(start + 182min), 0s);
  ASSERT_FALSE(ask({0, 500}, start + 182min));
  held[1].settle(0, 500, 0, start + 182min);
  EXPECT_EQ(tokens_left(0, start + 182min), 500u);
}

TEST_F(limits, WhatNoBucketCanHoldIsRefusedForGood) {
  charge(limit_scope::key, {.tokens_per_minute = 1000});
  const auto refused = ask({600, 401});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, limit_kind::too_large);
  EXPECT_EQ(refused->wanted, 1001u);
  EXPECT_FALSE(ask({600, 400}));
}

TEST_F(limits, AGuessMakesARequestWaitAndNeverTooLarge) {
  charge(limit_scope::key, {.tokens_per_minute = 5000});
  charge(limit_scope::key_on_route, {.tokens_per_minute = 100});
  for (int each = 0; each < 200; ++each) {
    const auto refused = ask({10, {}}, start + each * 24h);
    ASSERT_FALSE(refused) << each;
    held.back().settle(10, 6000, 0, start + each * 24h);
  }
  const auto next = ask({10, {}}, start + 199 * 24h);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->kind, limit_kind::tokens);
}

TEST_F(limits, AnAnswerOfAnyLengthIsReservedAsTheLatestWere) {
  charge(limit_scope::key, {.tokens_per_minute = 100'000});
  for (int each = 0; each < 200; ++each) {
    ASSERT_FALSE(ask({0, {}}, start + each * 1min));
    held.back().settle(0, 1000, 0, start + each * 1min);
  }
  EXPECT_NEAR(static_cast<double>(accounts[0]->usual_answer()), 1000, 10);
}

TEST_F(limits, ABudgetEndsWithTheRequestThatCrossesIt) {
  charge(limit_scope::key, {.budget_nano_usd = 1'000'000'000});
  ASSERT_FALSE(ask());
  held[0].settle(1, 1, 999'999'999, start);
  ASSERT_FALSE(ask());
  held[1].settle(1, 1, 500'000'000, start);
  EXPECT_EQ(ask()->kind, limit_kind::budget);
  EXPECT_EQ(ask({5'000'000, 0})->kind, limit_kind::budget);
}

// Forty requests arrive before the cost of any request is known. Each request costs half a dollar.
TEST_F(limits, ABurstDoesNotOverspendABudgetByFar) {
  charge(limit_scope::key, {.budget_nano_usd = 5'000'000'000});
  const wanted_tokens half_a_dollar{.input = 10, .most_output = 10, .nano_usd = 500'000'000};
  int count = 0;
  for (int each = 0; each < 40; ++each) count += ask(half_a_dollar) ? 0 : 1;
  EXPECT_EQ(count, 10);
  EXPECT_EQ(ask(half_a_dollar)->kind, limit_kind::budget);
  for (limit_hold& each : held) each.settle(10, 10, 100'000'000, start);  // all requests together cost one dollar
  EXPECT_EQ(accounts[0]->held_money(), 0);
  EXPECT_FALSE(ask(half_a_dollar));
  held.clear();  // destroys the limit_hold objects without calling leave(), as an exception would
  EXPECT_EQ(accounts[0]->held_money(), 0);
}

TEST_F(limits, ARequestThatIsAloneMayCostMoreThanIsLeft) {
  charge(limit_scope::key, {.budget_nano_usd = 1'000});
  EXPECT_FALSE(ask({.nano_usd = 5'000}));
}

TEST_F(limits, ABudgetIsLookedAtFirst) {
  charge(limit_scope::key, {.requests_per_minute = 1, .tokens_per_minute = 10, .parallel_requests = 1});
  charge(limit_scope::team, {.budget_nano_usd = 5});
  ASSERT_FALSE(ask({1, 1}));
  held[0].settle(1, 1, 5, start);
  EXPECT_EQ(ask({100, 100})->kind, limit_kind::budget);
}

TEST(LimitAccount, AWindowEndsAtItsOwnTimeAndNeverWhenTheClockGoesBack) {
  limit_account account;
  const budget_period day{budget_unit::day};
  const sys_seconds noon = sys_days(std::chrono::year(2026) / 11 / 23) + 12h;
  account.spend(7);
  account.turn_window(day, noon);
  EXPECT_EQ(account.spent(), 7);
  account.turn_window(day, noon + 11h);
  account.turn_window(day, noon - 48h);
  EXPECT_EQ(account.spent(), 7);
  account.turn_window(day, noon + 12h);
  EXPECT_EQ(account.spent(), 0);
  account.spend(3);
  account.turn_window(day, noon);  // the clock goes back to the previous day
  account.turn_window(day, noon + 12h);
  EXPECT_EQ(account.spent(), 3);
  account.turn_window(day, noon + 36h);
  EXPECT_EQ(account.spent(), 0);
}

TEST(LimitAccount, AnotherPeriodKeepsWhatWasSpent) {
  limit_account account;
  const sys_seconds noon = sys_days(std::chrono::year(2026) / 11 / 23) + 12h;
  account.turn_window({budget_unit::month}, noon);
  account.spend(9);
  account.turn_window({budget_unit::day}, noon + 1s);
  EXPECT_EQ(account.spent(), 9);
  account.turn_window({budget_unit::day}, noon + 12h);
  EXPECT_EQ(account.spent(), 0);
}

// Four workers send random requests for two accounts. The limit of concurrent requests must never be exceeded. At the end, no request may
// count as running. The number of admitted requests must equal the smaller of the two limits of requests per minute.
TEST(Limits, HoldOverWorkersThatTakeAtOnce) {
  const limit_settings key{.requests_per_minute = 1000, .tokens_per_minute = 1'000'000, .parallel_requests = 3};
  const limit_settings team{.requests_per_minute = 700, .parallel_requests = 5};
  limit_account of_key, of_team;
  limit_claims claims;
  claims.add(limit_scope::key, key, of_key);
  claims.add(limit_scope::team, team, of_team);
  std::atomic<int> running = 0, most = 0, admitted = 0;
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int each = 0; each < 20'000; ++each) {
      auto got = limit_hold::take(claims, nullptr, {random() % 50, random() % 50}, start);
      auto* hold = std::get_if<limit_hold>(&got);
      if (hold == nullptr) continue;
      ++admitted;
      const int now = ++running;
      for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
      }
      --running;
      hold->settle(random() % 100, random() % 100, 1, start);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(admitted, 700);
  EXPECT_LE(most, 3);
  EXPECT_EQ(of_key.running(), 0u);
  EXPECT_EQ(of_team.running(), 0u);
  EXPECT_EQ(of_key.spent(), 700);
  EXPECT_EQ(of_key.requests.until_full(start), 42s);  // 700 of 1000 permitted requests are used
}

// In each round, all workers request admission at the same time, but the limit permits only one request per minute. Exactly one worker is
// admitted. The other workers must release everything that they reserved from other limits.
TEST(Limits, WhoComesTooLateLeavesNothingTaken) {
  constexpr int rounds = 20'000, workers = 4;
  const limit_settings settings{.requests_per_minute = 1, .parallel_requests = workers};
  std::vector<std::unique_ptr<limit_account>> accounts;
  for (int each = 0; each < rounds; ++each) accounts.push_back(std::make_unique<limit_account>());
  std::atomic<int> admitted = 0, ahead = 0;
  const auto work = [&] {
    for (int round = 0; round < rounds; ++round) {
      ++ahead;
      while (ahead < round * workers) std::this_thread::yield();  // no worker is more than one round ahead of another worker
      limit_claims claims;
      claims.add(limit_scope::key, settings, *accounts[static_cast<std::size_t>(round)]);
      const auto got = limit_hold::take(claims, nullptr, {}, start);
      if (std::holds_alternative<limit_hold>(got)) ++admitted;
    }
  };
  std::vector<std::thread> threads;
  for (int each = 0; each < workers; ++each) threads.emplace_back(work);
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(admitted, rounds);
  for (const auto& each : accounts) ASSERT_EQ(each->running(), 0u);
}

}  // namespace
}  // namespace photofinish::gateway
