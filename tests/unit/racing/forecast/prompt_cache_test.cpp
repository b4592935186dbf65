// Tests how the forecaster learns from prompts that a provider has cached only in part.
#include "racing/forecast/forecaster.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

constexpr double tokens = 100'000;

struct cached_traffic {
  forecaster model;
  target_number target = model.target("one/m");
  route_number route = model.route("r", {target});
  std::uint64_t attempts = 0;
  instant now{1'000h};
  std::mt19937 engine{7};

  attempt_event step(attempt_step what, double seconds, double hit_chance = 0.93) {
    attempt_event made;
    made.step = what;
    made.attempt = ++attempts;
    made.target = target;
    made.route = route;
    made.started_at = now;
    made.at = now + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    made.input_tokens = tokens;
    made.match = {.tokens = tokens, .age_seconds = 30, .hit_chance = hit_chance};
    return made;
  }
  // Returns a random factor that is applied to response times. Without this factor, a cached prompt takes `warm` seconds, and an uncached
  // prompt takes six times as long.
  double noise() { return std::exp(std::normal_distribution<double>(0, 0.2)(engine)); }
  forecast tick() {
    now += 1s;
    return model.tick(now + 60s);
  }
  double usual(const target_forecast& known, double read) const {
    return std::exp(known.level + known.shape.middle()) * (1 + known.rho * read);
  }
};

TEST(PromptCacheForecast, ACachedTokenIsATwentiethOfAReadOne) {
  EXPECT_EQ(tokens_to_read(100, 0), 100);
  EXPECT_DOUBLE_EQ(tokens_to_read(100, 100), 5);
  EXPECT_DOUBLE_EQ(tokens_to_read(100, 1'000), 5);  // the provider reports more cached tokens than the prompt has
  EXPECT_EQ(tokens_to_read(0, 5), 0);
}

TEST(PromptCacheForecast, HitsAndMissesTakeDifferentTimes) {
  cached_traffic world;
  target_forecast known;
  for (int n = 0; n < 400; ++n) {
    const bool hits = n % 4 != 0;
    attempt_event each = world.step(attempt_step::spoke, (hits ? 0.6 : 4.5) * world.noise());
    each.cached_tokens = hits ? tokens : 0;
    world.model.take(each);
    known = world.tick().targets[world.target];
  }
  EXPECT_NEAR(world.usual(known, tokens_to_read(tokens, tokens)), 0.6, 0.15);
  EXPECT_NEAR(world.usual(known, tokens), 4.5, 0.9);
  EXPECT_NEAR(known.hits.chance(30, hit_within_ttl), 0.75, 0.05);
  EXPECT_EQ(known.jumps_up + known.jumps_down, 0u);
}

TEST(PromptCacheForecast, AgesAreLearnedApart) {
  hit_shares hits;
  for (int n = 0; n < 100; ++n) hits.add(30, 1), hits.add(2'000, 0);
  EXPECT_GT(hits.chance(30, hit_within_ttl), 0.98);
  EXPECT_LT(hits.chance(2'000, hit_within_ttl), 0.1);
  EXPECT_NEAR(hits.chance(400, hit_within_ttl), hit_within_ttl, 1e-12);
  EXPECT_NEAR(hits.chance(20'000, hit_after_ttl), hit_after_ttl, 1e-12);
}

TEST(PromptCacheForecast, SharesFollowAChangeWithinAHundredMatches) {
  hit_shares hits;
  for (int n = 0; n < 1'000; ++n) hits.add(30, 1);
  for (int n = 0; n < 100; ++n) hits.add(30, 0);
  EXPECT_LT(hits.chance(30, hit_within_ttl), 0.3);
}

TEST(PromptCacheForecast, GarbageIsNoShare) {
  hit_shares hits;
  hits.add(NAN, NAN);
  hits.add(-5, 40);
  hits.add(1e300, -1);
  for (const double age : {0.0, 30.0, 1e9}) {
    EXPECT_GE(hits.chance(age, NAN), 0);
    EXPECT_LE(hits.chance(age, 7), 1);
  }
}

TEST(PromptCacheForecast, AnUnsureSampleWaitsForItsUsage) {
  cached_traffic world;
  attempt_event spoke = world.step(attempt_step::spoke, 4.5, 0.6);
  spoke.is_usage_expected = true;
  world.model.take(spoke);
  EXPECT_EQ(world.tick().targets[world.target].samples, 0u);
  attempt_event usage = spoke;
  usage.step = attempt_step::usage;
  usage.at += 8s;
  usage.cached_tokens = 0;
  world.model.take(usage);
  const target_forecast known = world.tick().targets[world.target];
  EXPECT_EQ(known.samples, 1u);
  EXPECT_LT(known.hits.chance(30, 0.93), 0.93);
}

TEST(PromptCacheForecast, ASureSampleDoesNotWait) {
  cached_traffic world;
  attempt_event spoke = world.step(attempt_step::spoke, 0.6, 0.95);
  spoke.is_usage_expected = true;
  world.model.take(spoke);
  EXPECT_EQ(world.tick().targets[world.target].samples, 1u);
}

TEST(PromptCacheForecast, ALostUsageDelaysASampleForFiveMinutes) {
  cached_traffic world;
  attempt_event spoke = world.step(attempt_step::spoke, 4.5, 0.6);
  spoke.is_usage_expected = true;
  world.model.take(spoke);
  EXPECT_EQ(world.model.tick(world.now + 4min).targets[world.target].samples, 0u);
  EXPECT_EQ(world.model.tick(world.now + 6min).targets[world.target].samples, 1u);
}

TEST(PromptCacheForecast, TheLevelHearsOneOfTwoTwins) {
  cached_traffic world;
  for (int n = 0; n < 50; ++n) {
    world.model.take(world.step(attempt_step::spoke, 0.6 * world.noise()));
    world.tick();
  }
  attempt_event cut = world.step(attempt_step::cut, 3);
  cut.is_twin = true;
  world.model.take(cut);
  EXPECT_EQ(world.tick().targets[world.target].samples, 50u);
  cut.is_twin = false;
  world.model.take(cut);
  EXPECT_EQ(world.tick().targets[world.target].samples, 51u);
}

}  // namespace
}  // namespace photofinish::racing
