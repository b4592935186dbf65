// Tests each component of a forecast separately: the curve of response times, the present speed level, the influence of the prompt,
// failures, load, and answer lengths.
#include "racing/forecast/answer_lengths.hpp"
#include "racing/forecast/failure_shares.hpp"
#include "racing/forecast/level.hpp"
#include "racing/forecast/load_line.hpp"
#include "racing/forecast/prompt_part.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant t0{1h};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(TtftShape, TheCurveFindsTheQuantilesOfWhatWasSeen) {
  std::mt19937 engine(1);
  std::normal_distribution<double> residual(0.1, 0.5);
  ttft_shape shape;
  for (int sample = 0; sample < 5'000; ++sample) shape.add_seen(residual(engine));
  EXPECT_NEAR(shape.curve().middle(), 0.1, 0.03);
  EXPECT_NEAR(shape.curve().spread(), 0.5, 0.03);
}

// Half of the attempts are cancelled at random times. If the learned curve of response times ignored the cancelled attempts, it would
// contain too few slow attempts.
TEST(TtftShape, CutOnesDoNotBiasTheCurve) {
  std::mt19937 engine(2);
  std::normal_distribution<double> residual(0, 0.5);
  ttft_shape shape;
  for (int sample = 0; sample < 20'000; ++sample) {
    const double real = residual(engine), watched = residual(engine);
    if (real <= watched) shape.add_seen(real);
    else shape.add_cut(watched, 1);
  }
  EXPECT_NEAR(shape.curve().middle(), 0, 0.05);
  EXPECT_NEAR(shape.curve().quantile(0.1), 0.64, log_step);  // within a step
}

TEST(TtftShape, WhatIsExpectedOfASilentOneIsNeverLessThanItsAge) {
  const survival_curve curve = ttft_shape{}.curve();
  for (double age = -3; age < 6; age += 0.1) EXPECT_GE(curve.mean_above(age) + 1e-6, std::clamp(age, -2.5, 5.1));
}

TEST(TtftShape, AnHourForgets) {
  ttft_shape shape;
  for (int sample = 0; sample < 1'000; ++sample) shape.add_seen(2);
  EXPECT_NEAR(shape.curve().middle(), 2, 0.1);
  shape.forget(12 * 3'600);
  EXPECT_NEAR(shape.curve().middle(), 0, 0.1);
}

struct jumping_level {
  level is;
  survival_curve shape;
  std::mt19937 engine{3};

  void add(int samples, double at, caller_id caller = 0) {
    std::normal_distribution<double> residual(0, 0.3);
    for (int sample = 0; sample < samples; ++sample) is.add({at + residual(engine), caller}, shape, 0.25);
  }
};

TEST(Level, AJumpIsFoundInAHandfulOfSamplesAndBackAgain) {
  jumping_level level;
  level.add(200, 0);
  EXPECT_NEAR(level.is.value(), 0, 0.15);
  level.add(8, std::log(3));
  EXPECT_NEAR(level.is.value(), std::log(3), 0.4);
  level.add(100, std::log(3));
  level.add(8, 0);
  EXPECT_NEAR(level.is.value(), 0, 0.4);
}

TEST(Level, AStallOrTwoAreNotAJump) {
  jumping_level level;
  level.add(200, 0);
  const std::uint64_t jumps = level.is.jumps_up();
  level.add(2, std::log(6));
  EXPECT_EQ(level.is.jumps_up(), jumps);
  EXPECT_NEAR(level.is.value(), 0, 0.2);
}

TEST(Level, OneCallerOfSeveralMakesNoJump) {
  jumping_level level;
  for (int round = 0; round < 50; ++round) level.add(1, 0, 1), level.add(1, 0, 2);
  const std::uint64_t jumps = level.is.jumps_up();
  for (int round = 0; round < 20; ++round) level.add(2, std::log(4), 1), level.add(1, 0, 2);
  EXPECT_EQ(level.is.jumps_up(), jumps);
  EXPECT_LT(level.is.value(), 0.7);
  for (int round = 0; round < 10; ++round) level.add(1, std::log(4), 1), level.add(1, std::log(4), 2);
  EXPECT_GT(level.is.value(), 1);
}

// One caller sends three times as many requests as all others together, and its answers take 40 times the usual time. A single slow answer
// of another caller must not be enough for the forecast to accept these times as normal.
TEST(Level, OneBusyCallerAmongManyMakesNoJump) {
  jumping_level level;
  for (int round = 0; round < 50; ++round)
    for (caller_id other = 1; other <= 5; ++other) level.add(1, 0, other);
  for (int round = 0; round < 20; ++round) {
    level.add(3, std::log(40), 9);
    level.is.add({round == 0 ? 0.5 : 0, static_cast<caller_id>(1 + round % 5)}, level.shape, 0.25);
    EXPECT_LT(level.is.value(), 1) << round;
  }
}

TEST(Level, AShiftMayBeginWithFewerSilentAttemptsThanAJump) {
  jumping_level level;
  level.add(200, 0);
  level.is.move(1e-9);  // makes the earlier samples so old that they no longer count
  const std::vector<double> two{std::log(4), std::log(4)};
  EXPECT_EQ(level.is.shift_by(two, level.shape), 0);
  EXPECT_GT(level.is.shift_by(two, level.shape, level::early_shift), 0.5);
  EXPECT_EQ(level.is.shift_by(std::vector{std::log(4)}, level.shape, level::early_shift), 0);
}

TEST(Level, GarbageLeavesItAlone) {
  jumping_level level;
  level.add(20, 0);
  const double before = level.is.value();
  level.is.add({nan, 0}, level.shape, 1);
  level.is.add({std::numeric_limits<double>::infinity(), 0}, level.shape, 1);
  level.is.move(nan);
  EXPECT_EQ(level.is.value(), before);
}

TEST(PromptPart, FindsTheSlopeAndMovesTheLevelWithIt) {
  std::mt19937 engine(4);
  std::normal_distribution<double> normal(0, 1);
  prompt_part part;
  for (int sample = 0; sample < 500; ++sample) {
    const double tokens = 2'000 * std::exp(normal(engine));
    part.add(std::log(0.3) + std::log1p(0.25e-3 * tokens) + 0.3 * normal(engine), tokens);
  }
  EXPECT_DOUBLE_EQ(part.rho(), 0.25e-3);
}

TEST(PromptPart, WithoutASlopeNoneIsFound) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal(0, 1);
  prompt_part part;
  for (int sample = 0; sample < 500; ++sample) part.add(0.3 * normal(engine), 2'000 * std::exp(normal(engine)));
  EXPECT_LE(part.rho(), 0.01e-3);
}

TEST(FailureShares, ErrorsCountAndFade) {
  failure_shares shares;
  for (int n = 0; n < 200; ++n) shares.answered(t0);
  for (int n = 0; n < 8; ++n) shares.failed(t0);
  shares.weigh(t0, 60, {});
  EXPECT_GT(shares.error_share(), 0.4);
  shares.weigh(t0 + 10min, 60, {});
  EXPECT_LT(shares.error_share(), 0.1);
}

TEST(FailureShares, WhatOneOfSeveralCallersHasCountsAsOneFailure) {
  failure_shares shares;
  for (int n = 0; n < 20; ++n) shares.answered(t0, n % 2 == 0 ? 1 : 2);
  shares.failed(t0, 1);
  shares.weigh(t0, 60, {});
  const double once = shares.error_share();
  for (int n = 0; n < 100; ++n) shares.failed(t0, 1);
  shares.weigh(t0, 60, {});
  EXPECT_DOUBLE_EQ(shares.error_share(), once);
  shares.failed(t0, 2);
  for (int n = 0; n < 3; ++n) shares.failed(t0, 1);
  shares.weigh(t0, 60, {});
  EXPECT_GT(shares.error_share(), 0.3) << "a second caller has them, too";
}

TEST(FailureShares, SilencesOfOneOfSeveralCallersCountAsOne) {
  failure_shares shares;
  for (int n = 0; n < 20; ++n) shares.answered(t0, n % 2 == 0 ? 1 : 2);
  for (int n = 0; n < 100; ++n) shares.cut(t0, 0.001, 1);
  shares.weigh(t0, 60, {});
  EXPECT_LT(shares.hang_share(), 0.1);
  shares.cut(t0, 0.001, 2);
  for (int n = 0; n < 12; ++n) shares.cut(t0, 0.001, 1);
  shares.weigh(t0, 60, {});
  EXPECT_GT(shares.hang_share(), 0.5) << "a second caller has them, too";
}

TEST(FailureShares, WhereOneCallerIsAloneItsFailuresDecide) {
  failure_shares shares;
  for (int n = 0; n < 20; ++n) shares.answered(t0, 1);
  for (int n = 0; n < 8; ++n) shares.failed(t0, 1);
  shares.weigh(t0, 60, {});
  EXPECT_GT(shares.error_share(), 0.4);
}

TEST(FailureShares, ACutThatCameEarlySaysNothingAboutHanging) {
  failure_shares shares;
  for (int n = 0; n < 16; ++n) EXPECT_EQ(shares.cut(t0, 0.9), 0);
  shares.weigh(t0, 60, {});
  EXPECT_LT(shares.hang_share(), 0.02);
  for (int n = 0; n < 16; ++n) shares.cut(t0, 0.001), shares.weigh(t0, 60, {});
  EXPECT_GT(shares.hang_share(), 0.5);
}

TEST(LoadLine, WhatComesBehindALongSilenceCountsForAllBeforeIt) {
  load_line line({.ridge = 8, .most_slope = 1, .renewed_after = 60}), lasting({.ridge = 8, .most_slope = 1});
  for (load_line* each : {&line, &lasting}) {
    for (int n = 0; n < 100; ++n) each->add(0.05, 1, 1);
    each->add(0.01, 1, 59);
    EXPECT_GT(each->read().at(1), 0.02);
    each->add(0.01, 1, 60);
  }
  EXPECT_NEAR(line.read().at(1), 0.01, 1e-6);
  EXPECT_GT(lasting.read().at(1), 0.012);
}

TEST(LoadLine, FindsTheSlopeThoughTheProviderDriftsWithTheDay) {
  std::mt19937 engine(6);
  std::normal_distribution<double> normal(0, 1);
  load_line line({.ridge = 8, .most_slope = 1e9});
  for (int second = 0; second < 7'200; ++second) {
    const double tide = std::sin(6.28 * second / 7'200);
    const double load = std::max(1.0, 12 + 8 * tide + 6 * normal(engine));
    line.add(0.01 * (1 + 0.5 * tide) * (1 + 0.05 * load) * std::exp(0.05 * normal(engine)), load, 1);
  }
  EXPECT_NEAR(line.slope(), 0.0005, 0.0002);
}

TEST(LoadLine, IsNeverNegativeAndSurvivesGarbage) {
  load_line line({.ridge = 8, .most_slope = 0.5});
  line.add(nan, 1, 1);
  line.add(1, nan, 1);
  EXPECT_EQ(line.read().samples, 0u);
  for (int n = 0; n < 100; ++n) line.add(1.0 / (1 + n % 10), n % 10, 1);
  EXPECT_EQ(line.slope(), 0);
}

TEST(AnswerLengths, AreKeptByWhatTheRequestAllows) {
  answer_lengths lengths;
  EXPECT_DOUBLE_EQ(lengths.expected(std::nullopt), 250);
  EXPECT_DOUBLE_EQ(lengths.expected(16), 16);
  for (int n = 0; n < 200; ++n) lengths.add(900, 2'048), lengths.add(25, 64);
  EXPECT_NEAR(lengths.expected(2'048), 900, 20);
  EXPECT_NEAR(lengths.expected(64), 25, 5);
  lengths.add(nan, 64);
  lengths.add(-5, 64);
  EXPECT_NEAR(lengths.expected(64), 25, 5);
}

}  // namespace
}  // namespace photofinish::racing
