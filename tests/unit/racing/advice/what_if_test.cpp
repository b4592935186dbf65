// Tests the predicted results of race plans in cases for which a formula is known. Also tests how a target's usual time to the first token
// is computed for each minute.
#include "racing/advice/minute_levels.hpp"
#include "racing/advice/what_if.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace photofinish::racing {
namespace {

// Returns an exponential distribution: half of the remaining attempts answer in each second.
survival_curve exponential() {
  survival_curve::edges alive{};
  for (std::size_t at = 0; at <= residual_bins; ++at)
    alive[at] = static_cast<float>(std::exp2(-std::exp(least_residual + log_step * static_cast<double>(at))));
  return survival_curve(alive);
}

speed_cell usual_cell(double weight = 1) {
  speed_cell cell;
  cell.weight = weight;
  return cell;
}

what_if_figures figures(const what_if_plan& plan, std::vector<speed_cell> cells, std::size_t targets = 2) {
  return what_if(plan, cells, std::vector<survival_curve>(targets, exponential()));
}

TEST(WhatIf, OneAloneGivesItsOwnQuantiles) {
  const auto got = figures({.policy = race_policy::fallback, .limit = 1e6}, {usual_cell()}, 1);
  EXPECT_NEAR(got.quantile(0.5), 1, 0.01);
  EXPECT_NEAR(got.quantile(0.95), std::log2(20), 0.05);
  EXPECT_NEAR(got.starts[0], 1, 1e-9);
  EXPECT_NEAR(got.wins[0], 1, 0.01);
}

TEST(WhatIf, TwoAtOnceHalveTheTimeAndShareTheWins) {
  const auto got = figures({.policy = race_policy::all}, {usual_cell(3)});
  EXPECT_NEAR(got.quantile(0.5), 0.5, 0.01);
  EXPECT_NEAR(got.wins[0] / 3, 0.5, 0.01);
  EXPECT_NEAR(got.starts[1], 3, 1e-9);
}

TEST(WhatIf, AHedgeStartsWhereTheFirstIsStillSilent) {
  const auto got = figures({.policy = race_policy::hedge, .delay = 1}, {usual_cell()});
  EXPECT_NEAR(got.starts[1], 0.5, 0.01);
  // The hedge starts at 1 s. From then on, two attempts run in each remaining race, so twice as many of these races end per second.
  EXPECT_NEAR(got.quantile(0.75), 1.5, 0.03);
}

TEST(WhatIf, AThirdWaitsForItsPlace) {
  const auto got = figures({.policy = race_policy::all, .at_once = 2}, {usual_cell()}, 3);
  EXPECT_EQ(got.starts[2], 0);
  const auto fewer = figures({.policy = race_policy::all, .most = 1}, {usual_cell()});
  EXPECT_EQ(fewer.starts[1], 0);
}

TEST(WhatIf, WhatFailsIsReplacedAtOnceAndCostsNothing) {
  speed_cell failing = usual_cell();
  failing.failing = 1;
  const auto got = figures({.policy = race_policy::fallback, .limit = 1e6}, {failing});
  EXPECT_EQ(got.starts[0], 0);
  EXPECT_NEAR(got.starts[1], 1, 1e-9);
  EXPECT_NEAR(got.quantile(0.5), 1, 0.01);
}

TEST(WhatIf, WhatHangsIsLeftAtItsLimitInFallback) {
  speed_cell hanging = usual_cell();
  hanging.hangs[0] = 1;
  const auto got = figures({.policy = race_policy::fallback, .limit = 10}, {hanging});
  EXPECT_NEAR(got.quantile(0.5), 11, 0.6);
  EXPECT_EQ(figures({.policy = race_policy::fallback, .limit = 1e6}, {hanging}).quantile(0.5), what_if_figures::none);
}

TEST(WhatIf, WeightsAreRequests) {
  speed_cell slow = usual_cell(1);
  slow.level[0] = slow.level[1] = std::log(10.0F);
  const auto got = figures({.policy = race_policy::all}, {usual_cell(9), slow});
  EXPECT_NEAR(got.weight, 10, 1e-9);
  EXPECT_NEAR(got.quantile(0.5), 0.58, 0.03);  // .9 2^-2t + .1 2^-.2t = 1/2
}

target_minute minute(std::int32_t number, double level, bool has_jumped = false) {
  target_minute made;
  made.minute = number;
  made.level = static_cast<float>(level);
  made.attempts = 10;
  made.jumps = has_jumped ? 1 : 0;
  return made;
}

TEST(MinuteLevels, AreSmoothedBetweenJumpsAlone) {
  std::vector<target_minute> all;
  for (int at = 0; at < 10; ++at) all.push_back(minute(at, at % 2 == 0 ? 0.1 : -0.1));
  all.push_back(minute(10, 0.5, true));
  for (int at = 11; at < 20; ++at) all.push_back(minute(at, 1));
  const minute_levels levels(all);
  EXPECT_NEAR(levels.at(5).level, 0, 0.02);
  EXPECT_NEAR(levels.at(9).level, 0, 0.04);
  EXPECT_NEAR(levels.at(10).level, 0.5, 1e-6);
  EXPECT_NEAR(levels.at(11).level, 1, 1e-6);
  EXPECT_NEAR(levels.at(8).high, 1, 1e-6) << "what is not known better than to some minutes";
}

TEST(MinuteLevels, GoOnWhereNothingIsKnown) {
  const std::vector<target_minute> all{minute(100, 0), minute(200, 1), minute(300, 3, true)};
  const minute_levels levels(all);
  EXPECT_NEAR(levels.at(50).level, 0, 1e-6);
  EXPECT_NEAR(levels.at(150).level, 0.5, 1e-6);
  EXPECT_NEAR(levels.at(250).level, 1, 1e-6) << "until it jumped";
  EXPECT_NEAR(levels.at(400).level, 3, 1e-6);
  EXPECT_EQ(levels.at(400).away, 100);
}

TEST(MinuteLevels, AnOutageGoesOnForAsLongAsCooldownsDo) {
  std::vector<target_minute> all;
  for (int at = 0; at < 40; ++at) {
    all.push_back(minute(at, 0));
    if (at >= 10 && at < 20) all.back().failed = all.back().attempts;
  }
  const minute_levels levels(all);
  EXPECT_EQ(levels.at(9).errors, 0);
  EXPECT_EQ(levels.at(15).errors, 1);
  EXPECT_EQ(levels.at(22).errors, 1);
  EXPECT_EQ(levels.at(25).errors, 0);
}

}  // namespace
}  // namespace photofinish::racing
