// Compares the predictions of route advice with simulated results. Route advice uses the records of a run with the policy `adaptive`, and
// predicts the results of the policies `hedge` and `all`. The test then runs these two policies in the same simulated world. The runs are
// in virtual time, and each run has its own seed.
#include "racing/advice/route_advice.hpp"
#include "racing/advice/speed_history.hpp"
#include "tests/simulation/adaptive/measures.hpp"
#include "tests/simulation/adaptive/scenarios.hpp"
#include "tests/simulation/adaptive/simulation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace photofinish::racing {
namespace {

using std::chrono::milliseconds;

#ifdef NDEBUG
constexpr std::uint64_t seeds = 6;
#else
constexpr std::uint64_t seeds = 2;  // in unoptimized builds, six seeds would take minutes
#endif
constexpr double slack = seeds == 6 ? 1 : 1.5;  // the limits apply to six seeds; the mean over two seeds varies more

advised_route route_of(const scenario& world) {
  advised_route made;
  made.name = "r";
  for (std::size_t target = 0; target < world.targets.size(); ++target) {
    made.targets.push_back("t" + std::to_string(target));
    made.vendors.push_back(world.targets[target].vendor);
  }
  made.settings.policy = race_policy::adaptive;
  made.settings.max_parallel = world.max_parallel;
  made.cost = [&world](std::size_t target, double input, double output) {
    const true_target& truth = world.targets[target];
    const double lost = truth.bills_losers_in_full ? output : loser_tokens;
    return attempt_cost{truth.price * (input + answer_token_cost * output),
                        truth.price * (input + answer_token_cost * lost)};
  };
  return made;
}

route_advice advice_after(const scenario& world, std::uint64_t seed, racer how) {
  speed_history history;
  run_options options;
  options.history = &history;
  const run_result run = run_world(world, how, seed, options);
  history.tick(simulated_origin + std::chrono::hours{1'000}, speed_history::learning::all);
  return advise(history.records(), route_of(world)).value();
}

const advised_policy* find(const route_advice& advice, race_policy policy, int delay = -1) {
  for (const advised_policy& each : advice.policies)
    if (each.policy == policy && (delay < 0 || each.hedge_delay == milliseconds{delay})) return &each;
  return nullptr;
}

struct off_by { double p50 = 0, p95 = 0, p99 = 0, extra = 0; };

// Compares the predicted result of a policy with its simulated result, and prints the difference.
off_by compare(const char* who, const scenario& world, const advised_policy& given, const run_result& run) {
  const run_figures truth = measure(world, run);
  const auto seconds = [&](std::size_t at) { return given.first_token[at].seconds; };
  const off_by made{seconds(0) / truth.p50 - 1, seconds(1) / truth.p95 - 1, seconds(2) / truth.p99 - 1,
                    *given.extra_cost - truth.extra};
  std::printf("  %-14s %-10s p50 %+5.1f %%, p95 %+5.1f %%, p99 %+6.1f %%%s; extra cost %.2f, said %.2f\n",
              world.name.c_str(), who, 100 * made.p50, 100 * made.p95, 100 * made.p99,
              given.first_token[2].is_bound ? " (a bound)" : "", truth.extra, *given.extra_cost);
  return made;
}

// The largest permitted differences between the predicted and the simulated results. The aim was 12 % for p50 and p95.
struct advice_limits {
  const char* name;
  double p50 = 0.12, p95 = 0.12, extra = 0.05;
};

// The scenarios in which route advice is tested.
//
// This test of route advice leaves out the scenarios rate-limit and vllm. In these scenarios, a target's speed depends on how many requests
// the policy sends to the target. The predictions were wrong by up to 74 %.
//
// This test of route advice also leaves out the scenarios vendors, storm and finish. In vendors, the targets slow down together. In storm,
// two targets hang at the same time, and p95 falls exactly on the edge between normal answers and hangs. In finish, measure() uses the
// times of complete answers, but the advice predicts the times of first tokens.
constexpr advice_limits compared_ones[] = {
    {"stalls"}, {"heavy"}, {"unequal"}, {"diurnal"}, {"full-bill"}, {"cheapest"}, {"slow-3x"},
    {"partial-hang"}, {"quiet"}, {"prompts"}, {"cold-6"},
    // These runs last fifteen minutes, and the speed of one target is different for five of these minutes. In the first and the last of the
    // five minutes, the recorded time is a mean over both speeds.
    {"outage-hang", 0.12, 0.14, 0.07}, {"all-slow", 0.12, 0.14},
    // After an outage, all policies except `adaptive` skip the failed target for some time. Route advice can only estimate this time.
    {"outage-errors", 0.12, 0.12, 0.2}};

class Advice : public testing::TestWithParam<advice_limits> {};

TEST_P(Advice, OfHedgeAndAllIsWithinItsLimits) {
  const scenario& world = find_scenario(GetParam().name);
  off_by hedge, all;
  const auto add = [](off_by& to, const off_by& each) {
    constexpr double part = 1.0 / static_cast<double>(seeds);
    to.p50 += part * each.p50, to.p95 += part * each.p95, to.extra += part * each.extra;
  };
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const route_advice advice = advice_after(world, seed, racer::adaptive);
    const advised_policy* all_given = find(advice, race_policy::all);
    const advised_policy* hedge_given = find(advice, race_policy::hedge, 300);
    ASSERT_TRUE(all_given && hedge_given) << "seed " << seed;
    add(all, compare("all", world, *all_given, run_world(world, racer::all, seed)));
    add(hedge, compare("hedge", world, *hedge_given, run_world(world, racer::hedge, seed)));
  }
  for (const off_by& each : {hedge, all}) {
    EXPECT_NEAR(each.p50, 0, slack * GetParam().p50);
    EXPECT_NEAR(each.p95, 0, slack * GetParam().p95);
    EXPECT_NEAR(each.extra, 0, slack * GetParam().extra);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Advice, testing::ValuesIn(compared_ones), [](const auto& each) {
  std::string name = each.param.name;
  std::erase(name, '-');
  return name;
});

TEST(AdviceRanges, HoldTheTruthOfATargetThatMoved) {
  for (const char* name : {"slow-3x", "all-slow", "quiet"}) {
    const scenario& world = find_scenario(name);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const route_advice advice = advice_after(world, seed, racer::adaptive);
      EXPECT_TRUE(advice.has_moved);
      const advised_policy* given = find(advice, race_policy::fallback);
      ASSERT_TRUE(given);
      const run_figures truth = measure(world, run_world(world, racer::fallback, seed));
      EXPECT_LE(given->first_token[1].low, 1.05 * truth.p95) << name;
      ASSERT_TRUE(given->first_token[1].high) << name;
      EXPECT_GE(*given->first_token[1].high, 0.95 * truth.p95) << name;
    }
  }
}

TEST(AdviceWords, SayWhatTheFiguresDoNotKnow) {
  EXPECT_TRUE(advice_after(find_scenario("vendors"), 1, racer::adaptive).has_common_vendor);
  EXPECT_TRUE(advice_after(find_scenario("vllm"), 1, racer::adaptive).follows_our_load);
  const route_advice steady = advice_after(find_scenario("stalls"), 1, racer::adaptive);
  EXPECT_FALSE(steady.has_common_vendor);
  EXPECT_FALSE(steady.follows_our_load);
}

TEST(AdviceOfItself, WhatThePolicyGaveIsWhatCame) {
  const scenario& world = find_scenario("stalls");
  const route_advice advice = advice_after(world, 1, racer::hedge);
  const run_figures truth = measure(world, run_world(world, racer::hedge, 1));
  EXPECT_NEAR(advice.present.first_token[0]->seconds, truth.p50, 0.02 * truth.p50);
  EXPECT_NEAR(advice.present.first_token[1]->seconds, truth.p95, 0.02 * truth.p95);
  EXPECT_NEAR(*advice.present.extra_cost, truth.extra, 0.02);
  const auto all = static_cast<double>(world.requests);
  EXPECT_NEAR(static_cast<double>(advice.requests), all, 0.01 * all);  // a few answers have not ended when the simulation ends
}

// The policy `fallback` gives no information about the second target.
TEST(AdviceOfItself, NothingIsSaidOfTargetsThatNeverRan) {
  const route_advice advice = advice_after(find_scenario("stalls"), 1, racer::fallback);
  EXPECT_TRUE(advice.targets[0].is_known);
  EXPECT_FALSE(advice.targets[1].is_known);
  EXPECT_EQ(find(advice, race_policy::all), nullptr);
  EXPECT_NE(find(advice, race_policy::fallback), nullptr);
}

}  // namespace
}  // namespace photofinish::racing
