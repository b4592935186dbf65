// Tests how long an attempt of a race that has already sent tokens must wait for an attempt that is still silent.
#include "racing/adaptive/finish_rule.hpp"

#include "tests/unit/racing/adaptive/choice_fixture.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace photofinish::racing {
namespace {

// Two attempts of a race: a slow attempt that has just sent its first token, and a silent attempt.
struct finish_pair {
  planned_route route{0.15, 0.5};
  choice_table table = route.table();
  finisher speaker{0, &table.rows()[0], 1, 11, 0.15, 0.0};
  finisher silent{1, &table.rows()[1], 1, 4.5, 0.15, std::nullopt};

  hold_choice choose() const {
    const finisher both[] = {speaker, silent};
    return choose_hold(both);
  }
};

TEST(FinishRule, WaitsForOneThatWouldFinishSooner) {
  const finish_pair pair;
  const hold_choice made = pair.choose();
  EXPECT_EQ(made.best, 0u);
  EXPECT_GT(made.seconds, 0.5);
  EXPECT_LT(made.seconds, 11 - 4.5) << "behind that it cannot finish sooner";
}

TEST(FinishRule, DoesNotWaitForOneThatWouldFinishLaterOrHardlySooner) {
  finish_pair pair;
  pair.silent.decode = 20;
  EXPECT_EQ(pair.choose().seconds, 0);
  pair.silent.decode = pair.speaker.decode - 0.5;
  EXPECT_EQ(pair.choose().seconds, 0) << "less than a tenth";
  pair.speaker.decode = 0.3, pair.silent.decode = 0.1;
  EXPECT_EQ(pair.choose().seconds, 0) << "a short answer is there before the other has begun";
}

TEST(FinishRule, TheLongerItIsSilentTheLessItIsWaitedFor) {
  finish_pair pair;
  const double fresh = pair.choose().seconds;
  pair.silent.running = 4, pair.speaker.running = 4, pair.speaker.spoken = 3.85;
  EXPECT_LT(pair.choose().seconds, fresh);
}

TEST(FinishRule, OfTwoThatHaveSpokenTheSoonerGoesOn) {
  finish_pair pair;
  pair.silent.spoken = 0.0;
  pair.speaker.spoken = 0.35;
  EXPECT_EQ(pair.choose().best, 1u);
  EXPECT_EQ(pair.choose().seconds, 0);
  pair.speaker.spoken = 9;
  EXPECT_EQ(pair.choose().best, 0u) << "it is nearly done";
}

TEST(FinishRule, TheWaitOfOneThatMayHangGrowsWithItsSilence) {
  planned_route route{0.5};
  route.known[0].hang_share = 0.2;
  const choice_table table = route.table();
  const table_row& row = table.rows()[0];
  EXPECT_GT(expected_wait(row, 1, 5), expected_wait(row, 1, 0.4));
  EXPECT_NEAR(expected_wait(row, 1, 60), hang_seconds, 1);
}

TEST(FinishRule, GarbageHoldsNothingForLong) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  finish_pair pair;
  for (double finisher::*each : {&finisher::decode, &finisher::stretch, &finisher::running}) {
    finish_pair broken;
    broken.silent.*each = nan;
    const double seconds = broken.choose().seconds;
    EXPECT_GE(seconds, 0);
    EXPECT_LE(seconds, longest_hold);
  }
}

}  // namespace
}  // namespace photofinish::racing
