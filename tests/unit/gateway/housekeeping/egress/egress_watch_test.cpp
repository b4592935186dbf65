// Tests in virtual time when a gateway concludes that it cannot reach any provider. The gateway runs alone or in a fleet.
#include "gateway/housekeeping/egress/egress_places.hpp"
#include "gateway/housekeeping/egress/egress_watch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::tests {
namespace {

using namespace gateway;
using namespace std::chrono_literals;
using proxy::failure_kind;
using instant = egress_watch::instant;

class egress_watch_test : public ::testing::Test {
 protected:
  void fail(int times, failure_kind how = failure_kind::connect) {
    for (int each = 0; each < times; ++each) {
      watch.note(how, now);
      now += 1s;
    }
  }
  void lose() {
    fail(4);
    watch.checked(false, now);
    ASSERT_EQ(watch.state(now), egress_state::lost);
  }
  void hear(std::string answer) { watch.heard({.is_asked = false, .answer = std::move(answer)}, now); }

  egress_watch watch{"me", 1s};
  instant now = instant(1000h);
};

TEST_F(egress_watch_test, AQuietGatewayChecksNothing) {
  EXPECT_FALSE(watch.is_check_due(now));
  EXPECT_EQ(watch.state(now), egress_state::works);
}

TEST_F(egress_watch_test, FailuresInARowForSomeTimeAreASuspicion) {
  fail(3);
  EXPECT_TRUE(watch.is_check_due(now));
  EXPECT_EQ(watch.state(now), egress_state::works) << "nothing was checked yet";
}

TEST_F(egress_watch_test, ABurstOfFailuresIsNoneBeforeItLasts) {
  for (int each = 0; each < 100; ++each) watch.note(failure_kind::dns, now);
  EXPECT_FALSE(watch.is_check_due(now + 2999ms));
  EXPECT_TRUE(watch.is_check_due(now + 3s));
}

TEST_F(egress_watch_test, TwoFailuresAreTooFew) {
  fail(2);
  EXPECT_FALSE(watch.is_check_due(now + 10s));
}

TEST_F(egress_watch_test, FailuresOfLongAgoSayNothing) {
  fail(3);
  EXPECT_FALSE(watch.is_check_due(now + 31s));
  now += 40s;
  watch.note(failure_kind::connect, now);
  EXPECT_EQ(watch.failures(), 1u);
}

TEST_F(egress_watch_test, AnAnswerInBetweenStartsTheCountAgain) {
  fail(3);
  watch.note(std::nullopt, now);
  EXPECT_FALSE(watch.is_check_due(now));
  fail(2);
  EXPECT_FALSE(watch.is_check_due(now + 5s));
}

struct kind_case {
  failure_kind kind;
  std::size_t failures_after;  // expected number of consecutive failures, after three failures to connect and one failure of this kind
};
class AFailure : public ::testing::TestWithParam<kind_case> {};
INSTANTIATE_TEST_SUITE_P(Kinds, AFailure,
                         ::testing::Values(kind_case{failure_kind::dns, 4}, kind_case{failure_kind::connect, 4},
                                           kind_case{failure_kind::tls, 4}, kind_case{failure_kind::timeout, 3},
                                           kind_case{failure_kind::stall, 3}, kind_case{failure_kind::crawl, 3},
                                           kind_case{failure_kind::cancelled, 3}, kind_case{failure_kind::busy, 3},
                                           kind_case{failure_kind::rate_limited, 0}, kind_case{failure_kind::quota, 0},
                                           kind_case{failure_kind::auth, 0}, kind_case{failure_kind::bad_request, 0},
                                           kind_case{failure_kind::server_error, 0},
                                           kind_case{failure_kind::bad_stream, 0}),
                         [](const auto& tested) { return std::string(to_string(tested.param.kind)); });
TEST_P(AFailure, CountsByWhatItSaysOfTheWay) {
  egress_watch watch("me", 1s);
  for (int each = 0; each < 3; ++each) watch.note(failure_kind::connect, instant(1000h));
  watch.note(GetParam().kind, instant(1000h));
  EXPECT_EQ(watch.failures(), GetParam().failures_after);
}

TEST_F(egress_watch_test, AProviderThatAcceptsAConnectionEndsTheSuspicion) {
  fail(3);
  watch.checked(true, now);
  EXPECT_EQ(watch.state(now), egress_state::works);
  EXPECT_FALSE(watch.is_check_due(now));
}

TEST_F(egress_watch_test, ALostGatewayChecksEachTickUntilItGetsThrough) {
  lose();
  EXPECT_FALSE(watch.is_check_due(now));
  now += 1s;
  EXPECT_TRUE(watch.is_check_due(now));
  watch.checked(false, now);
  now += 3600s;  // no requests arrive for an hour
  EXPECT_TRUE(watch.is_check_due(now));
  EXPECT_EQ(watch.lost_since(), instant(1000h) + 4s);
  watch.checked(true, now);
  EXPECT_EQ(watch.state(now), egress_state::works);
  EXPECT_FALSE(watch.asks());
}

TEST_F(egress_watch_test, AnAttemptThatGetsThroughEndsIt) {
  lose();
  watch.note(failure_kind::rate_limited, now);
  EXPECT_EQ(watch.state(now), egress_state::works);
}

TEST_F(egress_watch_test, OnlyAnAnswerThatCameAfterItsLossMakesItAlone) {
  hear("b 7");
  lose();
  EXPECT_TRUE(watch.asks());
  hear("b 7");  // gateway b reached a provider, but possibly before this gateway's own failures
  EXPECT_EQ(watch.state(now), egress_state::lost);
  hear("b 7");
  EXPECT_EQ(watch.state(now), egress_state::lost);
  hear("");
  EXPECT_EQ(watch.state(now), egress_state::lost);
  hear("b 8");
  EXPECT_EQ(watch.state(now), egress_state::lost_alone);
}

TEST_F(egress_watch_test, ItsOwnAnswerIsNoOthers) {
  lose();
  hear("");
  hear("me 3");
  EXPECT_EQ(watch.state(now), egress_state::lost);
}

TEST_F(egress_watch_test, AnswersThatEndMakeItReadyAgain) {
  lose();
  hear("");
  hear("b 1");
  now += 8s;
  hear("b 2");
  now += 8s;
  EXPECT_EQ(watch.state(now), egress_state::lost_alone);
  now += 1s;
  hear("");
  EXPECT_EQ(watch.state(now), egress_state::lost) << "the others reach nothing either: all serve on";
}

TEST_F(egress_watch_test, AnotherStoreEndsWhatTheFirstSaid) {
  lose();
  hear("");
  hear("b 1");
  watch.forget_others();
  EXPECT_EQ(watch.state(now), egress_state::lost);
}

TEST_F(egress_watch_test, AnswersAQuestionOnceForEachCheck) {
  watch.heard({.is_asked = true, .answer = ""}, now);
  ASSERT_TRUE(watch.is_check_due(now));
  watch.checked(true, now);
  EXPECT_EQ(watch.take_answer(), "me 1");
  EXPECT_EQ(watch.take_answer(), "");
  EXPECT_FALSE(watch.is_check_due(now + 2s));
  now += 3s;
  EXPECT_TRUE(watch.is_check_due(now));
  watch.checked(false, now);
  EXPECT_EQ(watch.take_answer(), "");
  EXPECT_EQ(watch.state(now), egress_state::works) << "its own requests do not fail";
  EXPECT_FALSE(watch.is_check_due(now + 6s)) << "the question is over";
}

// A fleet of gateways with a store and with providers. The test determines which providers each gateway can reach. One step takes one
// second.
class egress_fleet_test : public ::testing::Test {
 protected:
  struct member {
    egress_watch watch;
    bool has_way = true;
  };

  // Simulates one second, in which each gateway gets one request. `has_store` returns true if the gateway reaches the store.
  void step(const std::function<bool(std::size_t)>& has_store) {
    now += 1s;
    for (std::size_t each = 0; each < fleet.size(); ++each) {
      auto& [watch, has_way] = fleet[each];
      watch.note(has_way ? std::nullopt : std::optional(failure_kind::connect), now);
      if (watch.is_check_due(now)) watch.checked(has_way, now);
      if (!has_store(each)) continue;
      watch.heard({.is_asked = now < asked_until, .answer = now < answer_until ? answer : ""}, now);
      if (watch.asks()) asked_until = now + 5s;
      if (auto its = watch.take_answer(); !its.empty()) {
        answer = std::move(its);
        answer_until = now + 5s;
      }
    }
  }
  void run(int seconds, const std::function<bool(std::size_t)>& has_store = [](std::size_t) { return true; }) {
    for (int each = 0; each < seconds; ++each) {
      step(has_store);
      for (std::size_t one = 0; one < fleet.size(); ++one)
        if (fleet[one].watch.state(now) == egress_state::lost_alone) ++seconds_away[one];
    }
  }
  bool is_away(std::size_t index) const { return fleet[index].watch.state(now) == egress_state::lost_alone; }

  std::array<member, 3> fleet{member{egress_watch("a", 1s)}, member{egress_watch("b", 1s)},
                              member{egress_watch("c", 1s)}};
  std::array<int, 3> seconds_away{};
  instant now = instant(1000h), asked_until{}, answer_until{};
  std::string answer;
};

TEST_F(egress_fleet_test, TheOneWithoutAWayLeavesWithinTenSecondsAndComesBack) {
  run(30);
  fleet[0].has_way = false;
  run(10);
  EXPECT_TRUE(is_away(0));
  run(600);
  EXPECT_TRUE(is_away(0));
  EXPECT_GT(seconds_away[0], 600) << "it never came back in between";
  fleet[0].has_way = true;
  run(2);
  EXPECT_FALSE(is_away(0));
  EXPECT_EQ(seconds_away[1] + seconds_away[2], 0);
}

TEST_F(egress_fleet_test, WhenTheProvidersAreDownNoneLeaves) {
  for (int start = 0; start < 12; ++start) {  // lets the outage begin at every possible phase of the periodic checks
    run(17 + start);
    for (member& each : fleet) each.has_way = false;
    run(120);
    for (member& each : fleet) each.has_way = true;
    run(1);
  }
  EXPECT_EQ(seconds_away, (std::array<int, 3>{}));
}

TEST_F(egress_fleet_test, WhenTheProvidersFailAfterOneHasLeftItComesBack) {
  fleet[0].has_way = false;
  run(30);
  ASSERT_TRUE(is_away(0));
  fleet[1].has_way = fleet[2].has_way = false;
  run(12);
  EXPECT_FALSE(is_away(0));
  seconds_away = {};
  run(300);
  EXPECT_EQ(seconds_away, (std::array<int, 3>{}));
}

TEST_F(egress_fleet_test, WithoutTheStoreItStays) {
  fleet[0].has_way = false;
  run(120, [](std::size_t index) { return index != 0; });
  EXPECT_EQ(seconds_away[0], 0);
  EXPECT_EQ(fleet[0].watch.state(now), egress_state::lost) << "/readyz?egress=own still reports it";
}

TEST_F(egress_fleet_test, TwoOfThreeMayLeave) {
  fleet[0].has_way = fleet[2].has_way = false;
  run(15);
  EXPECT_TRUE(is_away(0));
  EXPECT_TRUE(is_away(2));
  EXPECT_FALSE(is_away(1));
}

config with_providers(int count) {
  config made;
  for (int each = 0; each < count; ++each) {
    proxy::provider one;
    one.name = "p" + std::to_string(each);
    one.url.host = "host" + std::to_string(each);
    one.key.auth = proxy::auth_style::none;
    made.providers.emplace(one.name, one);
  }
  return made;
}

TEST(EgressPlaces, AreTheProvidersOfRoutesEachHostOnce) {
  config made = with_providers(3);
  made.providers["p1"].url.host = "host0";
  made.routes["r"].targets = {{"p0", "m"}, {"p1", "m"}};
  const auto places = egress_places(made);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].host, "host0");
  made.routes["r"].rules.resize(1);
  made.routes["r"].rules[0].targets = {{"p2", "m"}};
  EXPECT_EQ(egress_places(made).size(), 2u);
}

TEST(EgressPlaces, WithoutRoutesAreProvidersThatCanBeAsked) {
  config made = with_providers(2);
  made.providers["p1"].key.auth = proxy::auth_style::bearer;  // without a key
  ASSERT_EQ(egress_places(made).size(), 1u);
  EXPECT_EQ(egress_places(with_providers(40)).size(), most_egress_places);
}

}  // namespace
}  // namespace photofinish::tests
