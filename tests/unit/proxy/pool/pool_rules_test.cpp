#include "proxy/pool/pool_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;

const instant t0 = instant{} + 1h;

// Simulates the loss of this many pooled connections per second, at regular intervals over twenty seconds.
instant lose_per_second(pool_rules& rules, int losses_per_second) {
  instant now = t0;
  for (int each = 0; each < 20 * losses_per_second; ++each) {
    now += std::chrono::nanoseconds(1s) / losses_per_second;
    rules.request_came(now);
    rules.connection_was_lost(now);
  }
  return now;
}

void dials_take(pool_rules& rules, std::chrono::milliseconds time) {
  for (int each = 0; each < 30; ++each) rules.dial_succeeded(time);
}

pool_rules asked_and_reached(pool_limits limits = {}) {
  pool_rules rules(limits);
  rules.request_came(t0);
  rules.dial_succeeded(100ms);
  return rules;
}

TEST(PoolRulesTest, NoSpareBeforeTheFirstRequest) {
  pool_rules rules;
  EXPECT_EQ(rules.wanted_spares(t0), 0u);
  EXPECT_EQ(rules.missing_spares({}, t0), 0u);
}

TEST(PoolRulesTest, OneSpareAfterTheFirstRequest) {
  pool_rules rules = asked_and_reached();
  EXPECT_EQ(rules.wanted_spares(t0), 1u);
  EXPECT_EQ(rules.missing_spares({.busy = 1}, t0), 1u);
  EXPECT_EQ(rules.missing_spares({.idle = 1, .busy = 1}, t0), 0u);
  EXPECT_EQ(rules.missing_spares({.busy = 1, .dialing = 1}, t0), 0u);
}

TEST(PoolRulesTest, NoSpareIsDialedBeforeTheOriginWasReached) {
  pool_rules rules;
  rules.request_came(t0);
  EXPECT_EQ(rules.missing_spares({.dialing = 1, .waiting = 1}, t0), 0u);
}

TEST(PoolRulesTest, ADialThatARequestWaitsForIsNoSpare) {
  pool_rules rules = asked_and_reached();
  EXPECT_EQ(rules.missing_spares({.dialing = 1, .waiting = 1}, t0), 1u);
}

TEST(PoolRulesTest, NoSpareAfterFiveMinutesWithoutARequest) {
  pool_rules rules;
  rules.request_came(t0);
  EXPECT_EQ(rules.wanted_spares(t0 + 5min - 1ms), 1u);
  EXPECT_EQ(rules.wanted_spares(t0 + 5min), 0u);
  EXPECT_TRUE(rules.is_dormant(t0 + 5min));
}

TEST(PoolRulesTest, MoreLosersWantMoreSpares) {
  pool_rules quiet, busy;
  dials_take(quiet, 100ms);
  dials_take(busy, 100ms);
  const instant now = lose_per_second(quiet, 1);
  lose_per_second(busy, 20);
  EXPECT_EQ(quiet.wanted_spares(now), 1u);
  EXPECT_GE(busy.wanted_spares(now), 4u);
  EXPECT_LE(busy.wanted_spares(now), 6u);
}

TEST(PoolRulesTest, SlowerDialsWantMoreSpares) {
  pool_rules near, far;
  dials_take(near, 5ms);
  dials_take(far, 200ms);
  const instant now = lose_per_second(near, 10);
  lose_per_second(far, 10);
  EXPECT_EQ(near.wanted_spares(now), 1u);
  EXPECT_GE(far.wanted_spares(now), 4u);
}

TEST(PoolRulesTest, RequestsThatFoundNothingWarmWantMoreSparesToo) {
  pool_rules rules;
  dials_take(rules, 200ms);
  instant now = t0;
  for (int each = 0; each < 200; ++each) {
    now += 100ms;
    rules.request_came(now);
    rules.nothing_was_warm(now);
  }
  EXPECT_GE(rules.wanted_spares(now), 4u);
}

TEST(PoolRulesTest, ABunchThatFoundTooFewIsMetBetterNextTimeAndForgottenLater) {
  pool_rules rules;
  dials_take(rules, 1ms);
  rules.request_came(t0);
  for (int each = 0; each < 5; ++each) rules.nothing_was_warm(t0);
  EXPECT_EQ(rules.wanted_spares(t0 + 1s), 5u);
  EXPECT_EQ(rules.wanted_spares(t0 + 1min), 1u);
}

TEST(PoolRulesTest, OldLossesAreForgotten) {
  pool_rules rules;
  dials_take(rules, 200ms);
  const instant now = lose_per_second(rules, 20);
  EXPECT_EQ(rules.wanted_spares(now + 1min), 1u);
}

TEST(PoolRulesTest, SparesHaveACap) {
  pool_rules rules({.max_connections = 1024, .max_spares = 3});
  dials_take(rules, 500ms);
  EXPECT_EQ(rules.wanted_spares(lose_per_second(rules, 50)), 3u);
}

TEST(PoolRulesTest, NoSpareBeyondMaxConnections) {
  const pool_rules rules = asked_and_reached({.max_connections = 4, .max_spares = 8});
  EXPECT_EQ(rules.missing_spares({.busy = 4}, t0), 0u);
  EXPECT_EQ(rules.missing_spares({.busy = 3}, t0), 1u);
}

TEST(PoolRulesTest, ZeroMaxSparesMeansNone) {
  const pool_rules rules = asked_and_reached({.max_connections = 4, .max_spares = 0});
  EXPECT_EQ(rules.missing_spares({.busy = 1}, t0), 0u);
}

TEST(PoolRulesTest, FailedDialsPauseTheSparesEachTimeForLonger) {
  pool_rules rules = asked_and_reached();
  rules.dial_failed(t0);
  EXPECT_EQ(rules.missing_spares({}, t0 + 999ms), 0u);
  EXPECT_EQ(rules.missing_spares({}, t0 + 1s), 1u);
  rules.dial_failed(t0 + 1s);
  EXPECT_EQ(rules.missing_spares({}, t0 + 2999ms), 0u);
  EXPECT_EQ(rules.missing_spares({}, t0 + 3s), 1u);
}

TEST(PoolRulesTest, ADialThatSucceedsEndsThePause) {
  pool_rules rules = asked_and_reached();
  rules.dial_failed(t0);
  rules.dial_succeeded(10ms);
  EXPECT_EQ(rules.missing_spares({}, t0), 1u);
}

TEST(PoolRulesTest, DialsNobodyNeedsAreSurplus) {
  pool_rules rules;
  rules.request_came(t0);
  EXPECT_EQ(rules.surplus_dials({.dialing = 1}, t0), 0u);  // the newly opened connection becomes the spare connection
  EXPECT_EQ(rules.surplus_dials({.idle = 1, .dialing = 1}, t0), 1u);
  EXPECT_EQ(rules.surplus_dials({.idle = 1, .dialing = 1, .waiting = 1}, t0), 0u);
  EXPECT_EQ(rules.surplus_dials({.dialing = 3}, t0), 2u);
}

TEST(PoolRulesTest, ARequestTakesAnIdleConnectionUnlessItWantsAFreshOne) {
  const pool_rules rules;
  EXPECT_EQ(rules.next({.idle = 1}, freshness::any), next_step::use_idle);
  EXPECT_EQ(rules.next({.idle = 1}, freshness::fresh_only), next_step::dial);
  EXPECT_EQ(rules.next({}, freshness::any), next_step::dial);
}

TEST(PoolRulesTest, AtMaxConnectionsARequestIsRefused) {
  const pool_rules rules({.max_connections = 2, .max_spares = 8});
  EXPECT_EQ(rules.next({.busy = 2}, freshness::any), next_step::refuse);
  EXPECT_EQ(rules.next({.busy = 1, .dialing = 1, .waiting = 1}, freshness::any), next_step::refuse);
}

TEST(PoolRulesTest, AtMaxConnectionsASparesDialMayStillBeTaken) {
  const pool_rules rules({.max_connections = 2, .max_spares = 8});
  EXPECT_EQ(rules.next({.busy = 1, .dialing = 1}, freshness::any), next_step::dial);
}

TEST(PoolRulesTest, AnIdleConnectionMakesRoomForAFreshOne) {
  const pool_rules rules({.max_connections = 2, .max_spares = 8});
  EXPECT_EQ(rules.next({.idle = 1, .busy = 1}, freshness::fresh_only), next_step::dial);
}

TEST(PoolRulesTest, ConnectionsGoWhenIdleForTooLongOrOld) {
  const pool_rules rules({.max_connections = 2, .max_spares = 8, .idle_timeout = 60s});
  EXPECT_TRUE(rules.may_be_kept({t0}, t0, t0 + 59s));
  EXPECT_FALSE(rules.may_be_kept({t0}, t0, t0 + 60s));
  EXPECT_TRUE(rules.may_be_kept({t0}, t0 + 9min, t0 + 9min + 59s));
  EXPECT_FALSE(rules.may_be_kept({t0}, t0 + 9min + 59s, t0 + 10min));
  EXPECT_TRUE(rules.may_be_kept({t0, 0.8}, t0 + 7min, t0 + 7min + 59s));
  EXPECT_FALSE(rules.may_be_kept({t0, 0.8}, t0 + 7min + 59s, t0 + 8min));
}

TEST(PoolRulesTest, ConnectionsOfAnyAgeAreKeptIfTheMaximumIsZero) {
  const pool_rules rules({.idle_timeout = 60s, .max_age = 0ms});
  EXPECT_TRUE(rules.may_be_kept({t0, 0.8}, t0 + 100h, t0 + 100h + 59s));
  EXPECT_FALSE(rules.is_ending_soon({t0, 0.8}, t0 + 100h));
}

TEST(PoolRulesTest, AReplacementIsDueShortlyBeforeAConnectionIsTooOld) {
  pool_rules rules({.max_age = 1min});
  EXPECT_FALSE(rules.is_ending_soon({t0}, t0 + 56s));
  EXPECT_TRUE(rules.is_ending_soon({t0}, t0 + 57s));
  for (int each = 0; each < 50; ++each) dials_take(rules, 2s);
  EXPECT_TRUE(rules.is_ending_soon({t0}, t0 + 53s)) << "dials are slow";
  EXPECT_FALSE(rules.is_ending_soon({t0}, t0 + 51s));
  rules.set_limits({.max_age = 2s});
  EXPECT_FALSE(rules.is_ending_soon({t0}, t0 + 900ms)) << "never more than half of its life before";
  EXPECT_TRUE(rules.is_ending_soon({t0}, t0 + 1s));
}

TEST(PoolRulesTest, AnOldConnectionStaysWhileNewOnesFail) {
  pool_rules rules({.max_age = 10min});
  rules.dial_failed(t0 + 9min);
  EXPECT_TRUE(rules.may_be_kept({t0}, t0 + 10min, t0 + 10min));
  EXPECT_FALSE(rules.may_be_kept({t0}, t0 + 10min, t0 + 11min)) << "idle for too long";
  rules.dial_succeeded(100ms);
  EXPECT_FALSE(rules.may_be_kept({t0}, t0 + 10min, t0 + 10min));
}

TEST(ConnectionAgeTest, ConnectionsThatAreOpenedTogetherEndApart) {
  std::vector<double> shares;
  for (std::uint64_t serial = 1; serial <= 1000; ++serial) shares.push_back(lifetime_share(t0, serial));
  std::sort(shares.begin(), shares.end());
  EXPECT_GE(shares.front(), 0.8);
  EXPECT_LT(shares.back(), 1.0);
  // The lifetimes of connections are distributed evenly between 80 % and 100 % of the maximum. If the connections are sorted by lifetime,
  // each tenth of them spans 2 % of the maximum.
  for (std::size_t tenth = 1; tenth < 10; ++tenth)
    EXPECT_NEAR(shares[tenth * 100], 0.8 + 0.02 * static_cast<double>(tenth), 0.015);
  EXPECT_NE(lifetime_share(t0, 1), lifetime_share(t0 + 1ns, 1));
}

TEST(PoolRulesTest, NoSparesWhereTheyStarveTheServer) {
  pool_rules rules = asked_and_reached();
  dials_take(rules, 1ms);
  ASSERT_EQ(rules.wanted_spares(t0), 1u);
  for (int each = 0; each < 4; ++each) rules.answer_began(connection_life::first_request, 50ms, t0);
  for (int each = 0; each < 4; ++each) rules.answer_began(connection_life::first_request, 4s, t0);
  EXPECT_TRUE(rules.are_spares_harmful(t0));
  EXPECT_EQ(rules.missing_spares({.busy = 1}, t0), 0u);
  EXPECT_EQ(rules.surplus_dials({.dialing = 2}, t0), 2u);
  // After a pause of six minutes, the pool must still remember that spare connections are harmful.
  EXPECT_FALSE(rules.is_forgettable(t0 + 6min));
  EXPECT_TRUE(rules.is_forgettable(t0 + 31min));
}

}  // namespace
}  // namespace photofinish::proxy
