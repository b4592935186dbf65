// Tests when the alert for a target that became slower fires and ends, in virtual time.
#include "racing/statistics/regression.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

const wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

// A target that answers at fixed intervals, and an alert that fires if the target becomes slower. The alert's rules check the target every
// minute.
struct watched {
  stats_window window;
  regression_rules rules;
  regression_watch watch{rules};
  wall_time now = noon;
  std::vector<regression_alert> changes;

  void pass(std::chrono::minutes time, double speed, double ttft, std::chrono::seconds every = 10s) {
    for (const wall_time until = now + time; now < until; now += 1min) {
      for (auto at = 0s; at < 1min; at += every)
        window.add({.target = "p/m", .ttft_seconds = ttft, .tokens_per_second = speed}, now);
      window.expire(now);
      for (const regression_alert& change : watch.on(read_regressions(window, rules, now), now))
        changes.push_back(change);
    }
  }
};

TEST(Regression, ASteadyTargetIsQuiet) {
  watched it;
  it.pass(360min, 100, 0.3);
  EXPECT_TRUE(it.changes.empty());
}

TEST(Regression, AHalvedSpeedFiresOnceAndIsResolvedOnceItIsBack) {
  watched it;
  it.pass(360min, 100, 0.3);
  const wall_time slow_since = it.now;
  it.pass(60min, 50, 0.3);
  ASSERT_EQ(it.changes.size(), 1u);
  EXPECT_EQ(it.changes[0].kind, regression::speed);
  EXPECT_EQ(it.changes[0].target, "p/m");
  EXPECT_NEAR(it.changes[0].recent, 50, 0.5);
  EXPECT_NEAR(it.changes[0].baseline, 100, 1);
  EXPECT_FALSE(it.changes[0].ends_at);
  // The target counts as slower after half of the last 15 minutes were slow. The alert for a slower target then stays pending for 15
  // minutes before it fires.
  EXPECT_GE(it.changes[0].starts_at - slow_since, 22min);
  EXPECT_LE(it.changes[0].starts_at - slow_since, 24min);
  ASSERT_EQ(it.watch.firing().size(), 1u);

  const wall_time fast_since = it.now;
  it.pass(60min, 100, 0.3);
  ASSERT_EQ(it.changes.size(), 2u);
  EXPECT_EQ(it.changes[1].starts_at, it.changes[0].starts_at);
  ASSERT_TRUE(it.changes[1].ends_at);
  EXPECT_GE(*it.changes[1].ends_at - fast_since, 16min);
  EXPECT_LE(*it.changes[1].ends_at - fast_since, 19min);
  EXPECT_TRUE(it.watch.firing().empty());
}

TEST(Regression, ASlowerFirstTokenFiresLikewise) {
  watched it;
  it.pass(360min, 100, 0.3);
  it.pass(60min, 100, 0.6);
  ASSERT_EQ(it.changes.size(), 1u);
  EXPECT_EQ(it.changes[0].kind, regression::ttft);
  EXPECT_NEAR(it.changes[0].recent, 0.6, 0.006);
}

TEST(Regression, ALittleSlowerIsNoRegression) {
  watched it;
  it.pass(360min, 100, 0.3);
  it.pass(120min, 75, 0.4);
  EXPECT_TRUE(it.changes.empty());
}

TEST(Regression, AShortDipIsPendingAndNeverFires) {
  watched it;
  it.pass(360min, 100, 0.3);
  it.pass(14min, 50, 0.3);
  it.pass(60min, 100, 0.3);
  EXPECT_TRUE(it.changes.empty());
}

TEST(Regression, FewerThanTwentySamplesSayNothing) {
  watched it;
  it.pass(360min, 100, 0.3);
  it.pass(120min, 20, 3, 60s);  // 15 in 15 minutes
  EXPECT_TRUE(it.changes.empty());
}

TEST(Regression, ADipIntoHealthWhileFiringDoesNotEndTheAlert) {
  regression_watch watch{{}};
  const std::vector<regression_reading> worse{{"p/m", regression::speed, 50, 100, true}};
  const std::vector<regression_reading> better{{"p/m", regression::speed, 90, 100, false}};
  wall_time now = noon;
  std::size_t changes = 0;
  for (int minute = 0; minute < 20; ++minute, now += 1min) changes += watch.on(worse, now).size();
  for (int turn = 0; turn < 5; ++turn) {
    for (int minute = 0; minute < 9; ++minute, now += 1min) changes += watch.on(better, now).size();
    changes += watch.on(worse, now).size();
  }
  EXPECT_EQ(changes, 1u);
  for (int minute = 0; minute < 11; ++minute, now += 1min) changes += watch.on({}, now).size();
  EXPECT_EQ(changes, 2u) << "a target without requests is resolved";
}

TEST(Regression, ThosePendingStartAnewAfterOneGoodReading) {
  regression_watch watch{{}};
  const std::vector<regression_reading> worse{{"p/m", regression::ttft, 2, 1, true}};
  wall_time now = noon;
  for (int turn = 0; turn < 10; ++turn) {
    for (int minute = 0; minute < 15; ++minute, now += 1min) EXPECT_TRUE(watch.on(worse, now).empty());
    EXPECT_TRUE(watch.on({}, now).empty());
    now += 1min;
  }
}

}  // namespace
}  // namespace photofinish::racing
