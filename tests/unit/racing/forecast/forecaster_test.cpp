// Tests forecasts that are computed from the events of attempts. These events may arrive in order or out of order.
#include "racing/forecast/forecaster.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr instant t0{1'000h};

struct watched {
  forecaster model;
  target_number a = model.target("one/m"), b = model.target("two/m");
  route_number route = model.route("r", {a, b});
  std::uint64_t attempts = 0;
  instant now = t0;
  std::mt19937 engine{7};

  attempt_event step(attempt_step what, target_number target, double seconds) {
    attempt_event made;
    made.step = what;
    made.attempt = ++attempts;
    made.target = target;
    made.route = route;
    made.started_at = now;
    made.at = now + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    return made;
  }
  // Reports one answer per second to the forecaster. Returns the forecast after the last answer.
  forecast run(int count, target_number target, double median) {
    std::normal_distribution<double> normal(0, 0.3);
    forecast last;
    for (int n = 0; n < count; ++n) {
      model.take(step(attempt_step::spoke, target, median * std::exp(normal(engine))));
      now += 1s;
      last = model.tick(now + 3s);
    }
    return last;
  }
  double usual(const forecast& known, target_number target) const {
    return std::exp(known.targets[target].level + known.targets[target].shape.middle());
  }
};

TEST(Forecaster, NamesKeepTheirNumbers) {
  forecaster model;
  EXPECT_EQ(model.target("a"), model.target("a"));
  EXPECT_NE(model.target("a"), model.target("b"));
  for (std::size_t n = 0; n < 2 * forecaster::max_targets; ++n) model.target("t" + std::to_string(n));
  EXPECT_EQ(model.tick(t0).targets.size(), forecaster::max_targets);
}

TEST(Forecaster, LearnsATargetsUsualTimeAndFollowsAJump) {
  watched world;
  EXPECT_NEAR(world.usual(world.run(200, world.a, 0.5), world.a), 0.5, 0.06);
  EXPECT_NEAR(world.usual(world.run(12, world.a, 1.5), world.a), 1.5, 0.5);
}

TEST(Forecaster, AnUnknownTargetCountsAsGoodAsTheBestOfItsRoute) {
  watched world;
  const forecast known = world.run(50, world.a, 0.2);
  EXPECT_EQ(known.targets[world.b].samples, 0u);
  EXPECT_NEAR(known.targets[world.b].level, known.targets[world.a].level, 0.1);
}

TEST(Forecaster, AttemptsThatAreSilentNowRaiseTheLevelUntilTheyEnd) {
  watched world;
  world.run(100, world.a, 0.3);
  std::vector<attempt_event> silent;
  for (int n = 0; n < 4; ++n) {
    silent.push_back(world.step(attempt_step::began, world.a, 0));
    world.model.take(silent.back());
  }
  world.now += 5s;
  EXPECT_GT(world.model.tick(world.now).targets[world.a].shift, 0.5);
  for (attempt_event each : silent) {
    each.step = attempt_step::dropped;
    each.at = world.now;
    world.model.take(each);
  }
  EXPECT_EQ(world.model.tick(world.now).targets[world.a].shift, 0);
}

TEST(Forecaster, TwoSilentTurnsOfConversationsRaiseTheLevelThoughAThirdHasJustStarted) {
  watched world;
  world.run(100, world.a, 0.3);
  for (const auto age : {5s, 0s}) {
    for (int n = 0; n < (age > 0s ? 2 : 1); ++n) {
      attempt_event turn = world.step(attempt_step::began, world.a, 0);
      turn.match = {.tokens = 1, .hit_chance = 1};
      world.model.take(turn);
    }
    world.now += age;
  }
  EXPECT_GT(world.model.tick(world.now).targets[world.a].shift, 0.5);
}

TEST(Forecaster, StepsAreLearnedInTheOrderOfTheirTimes) {
  watched one, two;
  std::vector<attempt_event> steps;
  for (int n = 0; n < 100; ++n) {
    steps.push_back(one.step(n % 7 == 0 ? attempt_step::failed : attempt_step::spoke, one.a, 0.2 + 0.01 * (n % 13)));
    one.now += 10ms;
  }
  for (const auto& each : steps) one.model.take(each);
  for (auto each = steps.rbegin(); each != steps.rend(); ++each) two.model.take(*each);
  const forecast in_order = one.model.tick(t0 + 10s), reversed = two.model.tick(t0 + 10s);
  EXPECT_EQ(in_order.targets[0].level, reversed.targets[0].level);
  EXPECT_EQ(in_order.targets[0].error_share, reversed.targets[0].error_share);
}

TEST(Forecaster, MemoryIsBoundedWhateverIsSent) {
  watched world;
  for (std::size_t n = 0; n < 300'000; ++n) world.model.take(world.step(attempt_step::began, world.a, 0));
  world.model.tick(t0 + 1s);
  EXPECT_LT(world.model.memory_bytes(), 1'000'000u);
  attempt_event unknown = world.step(attempt_step::spoke, 4'000'000, 1);
  unknown.route = 4'000'000;
  world.model.take(unknown);
  EXPECT_EQ(world.model.tick(t0 + 2s).targets.size(), 2u);
}

// The forecaster must return valid figures without samples, with one sample, with clocks that jump, with only cancelled attempts, and with
// values that are not numbers.
TEST(Forecaster, GarbageLeadsToLegalFigures) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 engine(11);
  const auto pick = [&engine](int most) { return std::uniform_int_distribution<int>(0, most)(engine); };
  for (int round = 0; round < 200; ++round) {
    watched world;
    const int count = pick(3) == 0 ? pick(1) : pick(200);
    const bool all_cut = pick(3) == 0;
    for (int n = 0; n < count; ++n) {
      attempt_event each = world.step(static_cast<attempt_step>(all_cut ? 2 : pick(5)), static_cast<target_number>(pick(2)), 0.1);
      each.started_at = t0 + std::chrono::milliseconds(pick(10'000'000) - 5'000'000);
      each.at = t0 + std::chrono::milliseconds(pick(10'000'000) - 5'000'000);
      const double values[]{0, -1, 1e300, nan, std::numeric_limits<double>::infinity(), 100};
      each.input_tokens = values[pick(5)], each.in_flight = values[pick(5)];
      each.output_tokens = values[pick(5)], each.decode_seconds = values[pick(5)];
      world.model.take(each);
      if (pick(9) == 0) world.model.tick(t0 + std::chrono::milliseconds(pick(1'000'000) - 500'000));
    }
    for (const target_forecast& each : world.model.tick(t0 + 1h).targets) {
      SCOPED_TRACE("round " + std::to_string(round));
      EXPECT_TRUE(std::isfinite(each.level) && std::isfinite(each.shift) && std::isfinite(each.rho));
      EXPECT_TRUE(each.error_share >= 0 && each.error_share <= 1 && each.hang_share >= 0 && each.hang_share <= 1);
      EXPECT_TRUE(each.shape.middle() >= least_residual && each.shape.spread() >= 0.15 && each.shape.at(0) <= 1);
      EXPECT_TRUE(std::isfinite(each.decode.at(3)) && each.decode.slope >= 0 && each.first_token_load.slope >= 0);
    }
  }
}

}  // namespace
}  // namespace photofinish::racing
