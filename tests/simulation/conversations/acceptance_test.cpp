// Compares races that use prompt caches with three alternatives: an oracle that knows the true state of the providers, policies that make
// no forecasts, and the same policy with `prompt_cache: ignore`. The runs are in virtual time, and each run has its own seed. See
// docs/decisions/0086.
#include "tests/simulation/conversations/conversation_figures.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::racing {

// GoogleTest prints scenarios with this function.
void PrintTo(const conversation_scenario& world, std::ostream* out) { *out << world.name; }

namespace {

#ifdef NDEBUG
constexpr std::uint64_t seeds = 6;
#else
constexpr std::uint64_t seeds = 2;  // in unoptimized builds, six seeds would take minutes
#endif
// p99 and the accuracy of predictions are checked only with all six seeds, because they depend on rare events.
constexpr bool has_all_seeds = seeds == 6;

struct conversation_limits {
  // The largest permitted mean time to the first token, divided by the oracle's mean time. The oracle is a policy that knows the true
  // speeds.
  double mean = 1.08, single_mean = 1.12;
  double p99 = 1.10, single_p99 = 1.20;
  double cost = 1.08, single_cost = 1.12;
  // The largest permitted mean time to the first token, divided by the mean time of the policy `fallback`.
  double fallback = 1.01, single_fallback = 1.05;
  // The largest permitted extra cost of turns at targets that do not have the prompt in their caches, as a share of all costs.
  double moves = 0.08;
  // The smallest permitted share of turns that are won by a target with the prompt in its cache. Turns whose prompt is in no cache do not
  // count.
  double warm = 0.94;
  // The permitted differences from 50, 90 and 99 % in the shares of first tokens that came within the predicted p50, p90 and p99.
  std::array<double, 3> off{0.04, 0.03, 0.015};
  // The permitted time, in seconds, until races avoid a target that has become slower. Races avoid the target if at most one of ten turns
  // begins with it. 0 means no limit.
  double leave = 0;
  // The largest permitted share of turns that begin with the slower target, counted from one minute after that target slowed down. 1 means
  // no limit.
  double later = 1;
};

// The default values are the aims. If a scenario misses an aim, its limit is the value that was measured over six seeds. In single runs,
// p99 is above that of the oracle, which knows the true speeds: by 33 % in the scenario ttl, by 26.5 % in cheap-expensive, and by 25 % or
// less in outage and flapping.
const std::map<std::string, conversation_limits>& all_limits() {
  static const std::map<std::string, conversation_limits> all{
      {"healthy", {}},
      {"hosts", {.warm = 0.77}},
      {"hang-5", {}},
      {"heavy", {.mean = 1.10, .single_mean = 1.20, .fallback = 1.03, .single_fallback = 1.10}},
      {"limits", {.moves = 0.10}},
      {"cheap-expensive", {.single_p99 = 1.28, .moves = 0.30}},
      {"ttl", {.single_p99 = 1.35}},
      {"sub-agents", {}},
      {"flat", {}},
      {"unreported", {}},
      {"slow-3x", {.leave = 15, .later = 0.02}},
      {"slow-1.5x", {.later = 0.40}},
      {"hosts-slow", {.warm = 0.77, .leave = 20, .later = 0.02}},
      {"outage", {.single_p99 = 1.25, .leave = 15, .later = 0.02}},
      {"errors", {.leave = 15, .later = 0.02}},
      {"mixed", {.leave = 15, .later = 0.02}},
      {"flapping", {.single_p99 = 1.22}},
  };
  return all;
}

bool has_window(const conversation_scenario& world) { return all_limits().at(world.name).later < 1; }

// The results of a run that the tests check.
struct judged_run {
  conversation_figures figures;
  // The time from the beginning of the first target's slow or failed period until races avoid this target.
  std::optional<reaction> left;
  // The share of turns that begin with the first target, counted from one minute after the beginning of this target's slow or failed
  // period.
  double later = 0;
  // The mean time to the first token in the ten minutes after the first target's slow or failed period.
  double afterwards = 0;
};

judged_run judge(const conversation_scenario& world, conversation_racer how, std::uint64_t seed) {
  constexpr double minute = 60, ten_minutes = 600;
  const conversation_result run = run_conversations(world, how, seed);
  judged_run made{measure(world, run)};
  if (!has_window(world)) return made;
  const spell window = world.window().front();
  made.left = time_to_leave(run.races, window.from, window.to, 0);
  made.later = share_of_first_target(run, window.from + minute, window.to);
  made.afterwards = mean_between(run, window.to, window.to + ten_minutes);
  return made;
}

// Returns the runs of a scenario, one per seed. Several tests use the same runs, and each run is simulated only once.
const std::vector<judged_run>& runs_of(const conversation_scenario& world, conversation_racer how) {
  static std::map<std::pair<std::string, conversation_racer>, std::vector<judged_run>> known;
  std::vector<judged_run>& made = known[{world.name, how}];
  for (std::uint64_t seed = made.size() + 1; seed <= seeds; ++seed) made.push_back(judge(world, how, seed));
  return made;
}

conversation_figures mean_figures(const conversation_scenario& world, conversation_racer how) {
  conversation_figures sum;
  for (const judged_run& each : runs_of(world, how)) sum += each.figures;
  return sum / static_cast<double>(seeds);
}

void print(const conversation_scenario& world, const char* who, const conversation_figures& figures) {
  std::printf("  %-10s %-8s %5.2f / %.2f / %.2f / %5.2f s, %5.2f cents; extra %.1f, rescues %.1f, moves %.1f, warm %.0f %%; "
              "within %.0f, %.0f, %.1f %%\n",
              world.name.c_str(), who, figures.mean, figures.p50, figures.p95, figures.p99, figures.cents, 100 * figures.extra,
              100 * figures.rescues, 100 * figures.moves, 100 * figures.warm, 100 * figures.within[0], 100 * figures.within[1],
              100 * figures.within[2]);
}

class Conversations : public testing::TestWithParam<conversation_scenario> {};

TEST_P(Conversations, AreNearlyAsFastAsWithAnOracle) {
  const conversation_scenario& world = GetParam();
  const conversation_limits& most = all_limits().at(world.name);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(world.name + ", seed " + std::to_string(seed + 1));
    const conversation_figures learned = runs_of(world, conversation_racer::follow)[seed].figures;
    const conversation_figures known = runs_of(world, conversation_racer::oracle)[seed].figures;
    EXPECT_LE(learned.mean, most.single_mean * known.mean);
    EXPECT_LE(learned.p99, most.single_p99 * known.p99);
    EXPECT_LE(learned.cents, most.single_cost * known.cents);
  }
  const conversation_figures learned = mean_figures(world, conversation_racer::follow);
  const conversation_figures known = mean_figures(world, conversation_racer::oracle);
  print(world, "follow", learned);
  print(world, "oracle", known);
  EXPECT_LE(learned.mean, most.mean * known.mean);
  EXPECT_LE(learned.cents, most.cost * known.cents);
  if (has_all_seeds) {
    EXPECT_LE(learned.p99, most.p99 * known.p99);
  }
}

TEST_P(Conversations, AreNotBehindFallback) {
  const conversation_scenario& world = GetParam();
  const conversation_limits& most = all_limits().at(world.name);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(world.name + ", seed " + std::to_string(seed + 1));
    const double listed = runs_of(world, conversation_racer::fallback)[seed].figures.mean;
    EXPECT_LE(runs_of(world, conversation_racer::follow)[seed].figures.mean, most.single_fallback * listed);
  }
  const conversation_figures listed = mean_figures(world, conversation_racer::fallback);
  print(world, "fallback", listed);
  EXPECT_LE(mean_figures(world, conversation_racer::follow).mean, most.fallback * listed.mean);
}

TEST_P(Conversations, StayWhereTheyAreWarmAndWithinTheBudget) {
  const conversation_scenario& world = GetParam();
  const conversation_limits& limits = all_limits().at(world.name);
  const conversation_figures learned = mean_figures(world, conversation_racer::follow);
  EXPECT_LE(learned.moves, limits.moves);
  EXPECT_GE(learned.warm, limits.warm);
  // The aim for the mean cost of rescues (attempts that start because the others hang) over all runs. One run of the scenario heavy has
  // 2.2 %.
  EXPECT_LE(learned.rescues, 0.01);
  for (const judged_run& each : runs_of(world, conversation_racer::follow)) {
    EXPECT_LE(each.figures.worst_ten_minutes, 1.15 * world.max_extra_cost);
    EXPECT_LE(each.figures.rescues, 0.02);
  }
}

TEST_P(Conversations, ArePredictedWell) {
  if (!has_all_seeds) GTEST_SKIP() << "only if the test is optimized";
  const std::array<double, 3> off = all_limits().at(GetParam().name).off;
  const std::array<double, 3> within = mean_figures(GetParam(), conversation_racer::follow).within;
  EXPECT_NEAR(within[0], 0.50, off[0]);
  EXPECT_NEAR(within[1], 0.90, off[1]);
  EXPECT_NEAR(within[2], 0.99, off[2]);
}

TEST_P(Conversations, LeaveATargetThatSlowsAndAreWellAfterwards) {
  const conversation_scenario& world = GetParam();
  const conversation_limits& most = all_limits().at(world.name);
  if (!has_window(world)) GTEST_SKIP() << "the first target has no window of change";
  double after = 0, after_known = 0, later = 0, left = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(world.name + ", seed " + std::to_string(seed + 1));
    const judged_run& run = runs_of(world, conversation_racer::follow)[seed];
    if (most.leave > 0) {
      ASSERT_TRUE(run.left);
      EXPECT_LE(run.left->first_seconds, most.leave);
      left += run.left->seconds;
    }
    later += run.later, after += run.afterwards;
    after_known += runs_of(world, conversation_racer::oracle)[seed].afterwards;
  }
  // The test needs ten turns to decide whether races avoid a target. In a single run with few requests, it may take more than 10 s until
  // ten turns have arrived. Therefore only the mean over all seeds has a limit here.
  EXPECT_LE(left / static_cast<double>(seeds), most.leave);
  EXPECT_LE(later / static_cast<double>(seeds), most.later);
  EXPECT_LE(after, 1.06 * after_known);
}

INSTANTIATE_TEST_SUITE_P(All, Conversations, testing::ValuesIn(conversation_scenarios()), [](const auto& each) {
  std::string name = each.param.name;
  std::erase_if(name, [](char letter) { return letter == '-' || letter == '.'; });
  return name;
});

// Compares the results of races that use prompt caches with the results of the same policy and `prompt_cache: ignore`. Only the means over
// all scenarios have limits.
TEST(ConversationsTogether, AreBetterThanWithoutKnowledgeOfCaches) {
  double mean = 0, p99 = 0, cost = 0;
  const auto part = 1 / static_cast<double>(conversation_scenarios().size());
  for (const conversation_scenario& world : conversation_scenarios()) {
    const conversation_figures follow = mean_figures(world, conversation_racer::follow);
    const conversation_figures ignore = mean_figures(world, conversation_racer::today);
    print(world, "ignore", ignore);
    mean += part * follow.mean / ignore.mean, p99 += part * follow.p99 / ignore.p99, cost += part * follow.cents / ignore.cents;
  }
  std::printf("  against prompt_cache: ignore: mean %+.1f, p99 %+.1f, cost %+.1f %%\n", 100 * (mean - 1), 100 * (p99 - 1),
              100 * (cost - 1));
  EXPECT_LE(mean, 0.98);
  EXPECT_LE(p99, 0.92);
  EXPECT_LE(cost, 1.00);
}

// Compares policies that make no forecasts. If these results are as expected, the simulated world resembles the world in which the limits
// were measured.
TEST(ConversationsElsewhere, AFixedHedgeCostsManyTimesAsMuchAsFallback) {
  const conversation_scenario& world = find_conversation_scenario("healthy");
  const conversation_figures hedged = mean_figures(world, conversation_racer::hedge);
  print(world, "hedge", hedged);
  EXPECT_GE(hedged.cents, 5 * mean_figures(world, conversation_racer::fallback).cents);
  EXPECT_LE(mean_figures(world, conversation_racer::follow).cents, 0.25 * hedged.cents);
}

TEST(ConversationsElsewhere, AFixedPinFollowsATargetThatSlows) {
  const conversation_scenario& slow = find_conversation_scenario("slow-3x");
  const conversation_figures pinned = mean_figures(slow, conversation_racer::pin);
  print(slow, "pin", pinned);
  EXPECT_LE(mean_figures(slow, conversation_racer::follow).mean, 0.85 * pinned.mean);
  const conversation_scenario& hangs = find_conversation_scenario("hang-5");
  EXPECT_LE(mean_figures(hangs, conversation_racer::follow).p99, 0.5 * mean_figures(hangs, conversation_racer::pin).p99);
}

TEST(ConversationsRun, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const conversation_scenario& world = find_conversation_scenario("slow-3x");
  const auto cents = [&world](std::uint64_t seed) { return judge(world, conversation_racer::follow, seed).figures.cents; };
  EXPECT_EQ(cents(5), cents(5));
  EXPECT_NE(cents(5), cents(6));
}

}  // namespace
}  // namespace photofinish::racing
