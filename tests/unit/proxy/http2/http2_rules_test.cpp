#include "proxy/http2/http2_rules.hpp"

#include <gtest/gtest.h>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;

const instant t0 = instant{} + 1h;

http2_rules asked_and_reached() {
  http2_rules rules;
  rules.request_came(t0);
  rules.dial_succeeded();
  return rules;
}

TEST(Http2RulesTest, OneDialServesFiveWhoWait) {
  http2_rules rules;
  rules.request_came(t0);
  EXPECT_EQ(rules.missing_dials({.waiting = 1}, t0), 1u);
  EXPECT_EQ(rules.missing_dials({.waiting = 5}, t0), 1u);
  EXPECT_EQ(rules.missing_dials({.waiting = 6}, t0), 2u);
  EXPECT_EQ(rules.missing_dials({.dialing = 2, .waiting = 6}, t0), 0u);
}

TEST(Http2RulesTest, SomeHeadroomIsHeldReadyOnceTheOriginWasReached) {
  const http2_rules rules = asked_and_reached();
  EXPECT_EQ(rules.missing_dials({.headroom = 3}, t0), 0u);
  EXPECT_EQ(rules.missing_dials({.headroom = 2}, t0), 1u);
  EXPECT_EQ(rules.missing_dials({.headroom = 2, .dialing = 1}, t0), 0u);
  http2_rules unreached;
  unreached.request_came(t0);
  EXPECT_EQ(unreached.missing_dials({}, t0), 0u);
}

TEST(Http2RulesTest, NothingIsDialedAheadOfAnOriginThatNobodyAsksFor) {
  const http2_rules rules = asked_and_reached();
  EXPECT_EQ(rules.missing_dials({}, t0 + 4min), 1u);
  EXPECT_EQ(rules.missing_dials({}, t0 + 5min), 0u);
  EXPECT_TRUE(rules.is_dormant(t0 + 5min));
}

TEST(Http2RulesTest, DialsAheadPauseAfterAFailureAndRequestsDoNot) {
  http2_rules rules = asked_and_reached();
  rules.dial_failed(t0);
  EXPECT_EQ(rules.missing_dials({}, t0 + 900ms), 0u);
  EXPECT_EQ(rules.missing_dials({.waiting = 1}, t0 + 900ms), 1u);
  EXPECT_EQ(rules.missing_dials({}, t0 + 1s), 1u);
  rules.dial_failed(t0 + 1s);
  EXPECT_EQ(rules.missing_dials({}, t0 + 2900ms), 0u);
}

TEST(Http2RulesTest, DialsAheadPauseLongerEachTimeTheProviderEndsTheConnectionUnused) {
  http2_rules rules = asked_and_reached();
  rules.ended_unused(t0, t0);
  EXPECT_EQ(rules.missing_dials({}, t0 + 900ms), 0u);
  EXPECT_EQ(rules.missing_dials({.waiting = 1}, t0 + 900ms), 1u);
  EXPECT_EQ(rules.missing_dials({}, t0 + 1s), 1u);
  rules.dial_succeeded();
  rules.ended_unused(t0 + 1s, t0 + 1s);
  EXPECT_EQ(rules.missing_dials({}, t0 + 2900ms), 0u);
  EXPECT_EQ(rules.missing_dials({}, t0 + 3s), 1u);
}

TEST(Http2RulesTest, ConnectionsThatAreKeptForAWhileEndWithoutAPause) {
  http2_rules rules = asked_and_reached();
  rules.ended_unused(t0, t0 + 10s);
  EXPECT_EQ(rules.missing_dials({}, t0 + 10s), 1u);
}

TEST(Http2RulesTest, WhoWantsAFreshConnectionIsNotServedByHeadroom) {
  const http2_rules rules = asked_and_reached();
  EXPECT_EQ(rules.missing_dials({.headroom = 20, .waiting = 1, .waiting_fresh = 1}, t0), 1u);
}

TEST(Http2RulesTest, AnOriginThatChoseHttp1IsAskedAgainAfterTenMinutes) {
  http2_rules rules = asked_and_reached();
  EXPECT_FALSE(rules.prefers_http1(t0));
  rules.spoke_http1(t0);
  EXPECT_TRUE(rules.prefers_http1(t0 + 9min));
  EXPECT_FALSE(rules.prefers_http1(t0 + 10min));
}

TEST(Http2RulesTest, AfterEnhanceYourCalmAnOriginIsLeftAloneForTenMinutes) {
  http2_rules rules = asked_and_reached();
  rules.received_enhance_your_calm(t0);
  EXPECT_TRUE(rules.prefers_http1(t0 + 9min));
  // While the gateway prefers HTTP/1.1, it opens no HTTP/2 connections in advance.
  EXPECT_EQ(rules.missing_dials({}, t0 + 1min), 0u);
}

TEST(Http2RulesTest, AnOriginWhoseHttp2AnswersNothingTwiceInARowGetsHttp1) {
  http2_rules rules = asked_and_reached();
  rules.ended_unheard(t0);
  rules.was_heard();
  rules.ended_unheard(t0);
  EXPECT_FALSE(rules.prefers_http1(t0));
  rules.ended_unheard(t0);
  EXPECT_TRUE(rules.prefers_http1(t0 + 9min));
  EXPECT_FALSE(rules.prefers_http1(t0 + 10min));
}

TEST(Http2RulesTest, ConnectionsGoAtTenMinutesOrWhenIdle) {
  http2_rules rules = asked_and_reached();
  rules.request_came(t0 + 9min);
  const http2_ages ages{.idle_timeout = 60s, .max_age = 10min};
  EXPECT_TRUE(rules.may_be_kept({t0}, t0 + 9min, ages, t0 + 9min));
  EXPECT_FALSE(rules.may_be_kept({t0}, t0 + 10min, ages, t0 + 10min));
  EXPECT_FALSE(rules.may_be_kept({t0}, t0 + 8min, ages, t0 + 9min));
  EXPECT_FALSE(rules.may_be_kept({t0, 0.8}, t0 + 8min, ages, t0 + 8min)) << "its own share of the age";
  rules.dial_failed(t0 + 9min);
  EXPECT_TRUE(rules.may_be_kept({t0}, t0 + 10min, ages, t0 + 10min)) << "no new connection can be opened";
  rules.dial_succeeded();
  EXPECT_TRUE(rules.may_be_kept({t0, 0.8}, t0 + 12min, {.idle_timeout = 60s, .max_age = 0ms}, t0 + 12min));
}

}  // namespace
}  // namespace photofinish::proxy
