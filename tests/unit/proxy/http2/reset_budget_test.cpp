#include "proxy/http2/reset_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <random>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;

const instant t0 = instant{} + 1h;

void lose(reset_budget& budget, instant now) {
  budget.stream_began();
  budget.stream_was_reset(now);
}

void win(reset_budget& budget) {
  budget.stream_began();
  budget.stream_settled();
}

TEST(ResetBudgetTest, AFreshConnectionTakesFiveStreamsThatMayAllLose) {
  reset_budget budget;
  EXPECT_EQ(budget.headroom(t0), 5u);
  for (int each = 0; each < 5; ++each) budget.stream_began();
  EXPECT_EQ(budget.headroom(t0), 0u);
  for (int each = 0; each < 5; ++each) {
    EXPECT_TRUE(budget.may_reset(t0));
    budget.stream_was_reset(t0);
  }
  EXPECT_FALSE(budget.may_reset(t0));
  EXPECT_EQ(budget.may_reset_at(), t0 + 1s);
  EXPECT_EQ(budget.headroom(t0 + 999ms), 0u);
  EXPECT_EQ(budget.headroom(t0 + 1s), 5u);
}

TEST(ResetBudgetTest, AStreamWhoseAnswerHasBegunKeepsNoResetInReserve) {
  reset_budget budget;
  for (int each = 0; each < 20; ++each) win(budget);
  EXPECT_EQ(budget.headroom(t0), 5u);
  budget.stream_is_owed_a_reset();
  EXPECT_EQ(budget.headroom(t0), 4u);
  budget.stream_was_reset(t0);
  EXPECT_EQ(budget.resets(), 1u);
  EXPECT_EQ(budget.headroom(t0), 4u);
}

TEST(ResetBudgetTest, TheFirstTwentyResetsAreFreeOfTheShareThenFortyPercentIsAll) {
  reset_budget all_lost;
  instant now = t0;
  int lost = 0;
  for (; all_lost.headroom(now) > 0; ++lost, now += 1s) lose(all_lost, now);
  EXPECT_EQ(lost, 20);
  EXPECT_TRUE(all_lost.is_spent());

  reset_budget a_third;
  for (int each = 0; each < 150; ++each, now += 1s) {
    ASSERT_GT(a_third.headroom(now), 0u) << each;
    if (each % 3 == 0) lose(a_third, now);
    else win(a_third);
  }
  EXPECT_FALSE(a_third.is_spent());
}

TEST(ResetBudgetTest, AConnectionRetiresAtTwoHundredResets) {
  reset_budget budget;
  instant now = t0;
  while (budget.headroom(now) > 0) {
    for (int each = 0; each < 2; ++each) win(budget);
    lose(budget, now);
    now += 1s;
  }
  EXPECT_EQ(budget.resets(), 200u);
  EXPECT_EQ(budget.streams(), 600u);
  EXPECT_TRUE(budget.is_spent());
}

// The number of resets that a server sees in the worst case: the client cancels an attempt whenever its reset budget permits a reset.
struct worst_case {
  std::size_t in_1_s = 0;
  std::size_t in_30_s = 0;  // Netty allows 200
  std::size_t at_250 = 0;   // resets among the first 250 streams; Envoy permits at most half of the streams to be reset
  std::size_t in_all = 0;
};

worst_case push(double share_of_losers, std::chrono::milliseconds between) {
  reset_budget budget;
  worst_case worst;
  std::deque<instant> recent;
  double lost = 0;
  instant now = t0;
  for (int turn = 0; turn < 100'000 && !budget.is_spent(); ++turn, now += between) {
    while (!recent.empty() && now - recent.front() > 30s) recent.pop_front();
    if (budget.headroom(now) == 0) continue;
    lost += share_of_losers;
    if (lost < 1) {
      win(budget);
      continue;
    }
    lost -= 1;
    lose(budget, now);
    recent.push_back(now);
    worst.in_30_s = std::max(worst.in_30_s, recent.size());
    const auto in_1_s = std::count_if(recent.begin(), recent.end(), [now](instant at) { return now - at < 1s; });
    worst.in_1_s = std::max(worst.in_1_s, static_cast<std::size_t>(in_1_s));
    if (budget.streams() <= 250) worst.at_250 = budget.resets();
  }
  worst.in_all = budget.resets();
  return worst;
}

TEST(ResetBudgetTest, WhatRestsTakesNothingWhateverHappensMeanwhile) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    reset_budget budget;
    instant now = t0, rests_until{};
    int at_risk = 0, rested = 0;
    for (int step = 0; step < 400; ++step, now += std::chrono::milliseconds(random() % 100)) {
      if (now < rests_until) {
        ASSERT_EQ(budget.headroom(now), 0u) << "round " << round << ", step " << step;
        ++rested;
      }
      rests_until = std::max(rests_until, budget.rests_until());
      if (budget.headroom(now) > 0 && random() % 2 == 0) budget.stream_began(), ++at_risk;
      if (at_risk == 0 || random() % 2 == 0) continue;
      --at_risk;
      if (random() % 2 == 0) budget.stream_settled();
      else budget.stream_was_reset(now);
    }
    EXPECT_GT(rested, 0);
  }
}

TEST(ResetBudgetTest, StaysBelowWhatTheStrictestServersCount) {
  for (const double share : {0.05, 0.25, 0.35, 0.4, 0.5, 1.0})
    for (const auto between : {1ms, 20ms, 150ms, 1000ms}) {
      const worst_case worst = push(share, between);
      EXPECT_LE(worst.in_1_s, 5u) << share << " " << between.count();
      EXPECT_LE(worst.in_30_s, 155u) << share << " " << between.count();
      EXPECT_LE(worst.at_250, 100u) << share << " " << between.count();
      EXPECT_LE(worst.in_all, 200u) << share << " " << between.count();
    }
}

// The figures about one connection in the table of docs/decisions/0009-http2-upstream.md. A connection ends when its reset budget is used
// up, or after 1000 streams.
struct life {
  double streams = 0;  // mean number of streams of a connection
  double short_ones = 0;  // share of connections that end before their 100th stream
};

life lives(double share_of_losers) {
  constexpr int connections = 500;
  std::mt19937_64 random(7);
  std::bernoulli_distribution loses(share_of_losers);
  life seen;
  for (int each = 0; each < connections; ++each) {
    reset_budget budget;
    for (instant now = t0; !budget.is_spent() && budget.streams() < 1000; now += 1s) {
      if (loses(random)) lose(budget, now);
      else win(budget);
    }
    seen.streams += static_cast<double>(budget.streams()) / connections;
    seen.short_ones += budget.streams() < 100 ? 1.0 / connections : 0;
  }
  return seen;
}

TEST(ResetBudgetTest, HowLongAConnectionServes) {
  std::map<double, life> seen;
  for (const double share : {0.05, 0.2, 0.25, 0.3, 0.33, 0.4, 0.5, 1.0}) {
    seen[share] = lives(share);
    std::cout << share << " cancelled: " << seen[share].streams << " streams, " << 100 * seen[share].short_ones
              << " % before the 100th\n";
  }
  EXPECT_GT(seen[0.25].streams, 700);
  EXPECT_LT(seen[0.25].short_ones, 0.05);
  EXPECT_NEAR(seen[0.5].streams, 41, 3);
  EXPECT_NEAR(seen[1.0].streams, 20, 0.01);
}

TEST(CancelShareTest, ATargetThatLosesHalfItsRacesLeavesHttp2AndOneThatSeldomLosesDoesNot) {
  cancel_share seldom, often;
  instant now = t0;
  int attempts_until_it_leaves = 0;
  for (int each = 0; each < 200; ++each, now += 100ms) {
    if (each % 20 == 0) seldom.attempt_cancelled(now);
    else seldom.attempt_ended(now);
    if (each % 2 == 0) often.attempt_cancelled(now);
    else often.attempt_ended(now);
    EXPECT_TRUE(seldom.suits_http2(now));
    if (often.suits_http2(now)) ++attempts_until_it_leaves;
  }
  EXPECT_FALSE(often.suits_http2(now));
  EXPECT_GT(attempts_until_it_leaves, 10);
  EXPECT_LT(attempts_until_it_leaves, 40);
}

TEST(CancelShareTest, AFewCancelledAttemptsAreNoVerdict) {
  cancel_share share;
  for (int each = 0; each < 4; ++each) share.attempt_cancelled(t0);
  EXPECT_TRUE(share.suits_http2(t0));
}

TEST(CancelShareTest, ComesBackAtAQuarterAndForgetsWithinMinutes) {
  cancel_share share;
  for (int each = 0; each < 40; ++each) share.attempt_cancelled(t0);
  EXPECT_FALSE(share.suits_http2(t0));
  EXPECT_FALSE(share.is_forgotten(t0 + 1h));  // HTTP/2 does not suit this target, and the gateway must not forget this yet
  instant now = t0;
  while (share.value(now) > 0.28) share.attempt_ended(now);
  EXPECT_FALSE(share.suits_http2(now));  // while the share of cancelled attempts is between the two limits, the earlier decision stays
  while (share.value(now) > 0.25) share.attempt_ended(now);
  EXPECT_TRUE(share.suits_http2(now));

  cancel_share left_alone;
  for (int each = 0; each < 40; ++each) left_alone.attempt_cancelled(t0);
  EXPECT_FALSE(left_alone.suits_http2(t0));
  EXPECT_TRUE(left_alone.suits_http2(t0 + 5min));
  EXPECT_TRUE(left_alone.is_forgotten(t0 + 10min));
}

}  // namespace
}  // namespace photofinish::proxy
