// Makes race plans from random attempt events and random clocks. Each plan must be valid, within its limits, and the same for the same
// seed. Choosing the targets must not allocate memory.
#include "racing/adaptive_planner.hpp"
#include "racing/forecast/forecaster.hpp"
#include "tests/support/allocations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace photofinish::racing {
namespace {

using std::chrono::nanoseconds;

constexpr instant origin{std::chrono::hours{1'000}};

struct chance {
  std::mt19937 engine;

  int pick(int most) { return std::uniform_int_distribution<int>(0, most)(engine); }
  double value(double usual) {
    constexpr std::array odd{0.0, -1.0, 1e300, -1e300, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()};
    if (pick(9) == 0) return odd[static_cast<std::size_t>(pick(5))];
    return usual * std::exp(std::normal_distribution<double>()(engine));
  }
  // Returns a time that is usually near `about`, and sometimes hours or weeks earlier or later.
  instant time(instant about) {
    if (pick(19) == 0) return about + std::chrono::hours(pick(1) == 0 ? -900 : 900);
    const double spread = pick(9) == 0 ? 40'000 : 2;
    return about + nanoseconds(std::llround(1e9 * spread * std::normal_distribution<double>()(engine)));
  }
};

attempt_event garbage(chance& dice, std::size_t targets, instant now) {
  attempt_event made;
  made.step = static_cast<attempt_step>(dice.pick(5));
  made.attempt = static_cast<std::uint64_t>(dice.pick(200));
  made.target = static_cast<target_number>(dice.pick(static_cast<int>(targets) + 1));
  made.route = static_cast<route_number>(dice.pick(2));
  made.caller = static_cast<caller_id>(dice.pick(3));
  made.key = static_cast<std::uint64_t>(dice.pick(3) == 0 ? dice.pick(3) : 0);
  made.at = dice.time(now), made.started_at = dice.time(now);
  made.input_tokens = dice.value(1'000), made.in_flight = dice.value(4);
  made.output_tokens = dice.value(300), made.decode_seconds = dice.value(3);
  if (dice.pick(1) == 0) made.max_tokens = static_cast<std::uint64_t>(dice.pick(1'000));
  return made;
}

// Plays the random steps that follow from one seed, and checks each race plan. Returns a digest of all results.
std::uint64_t play(std::uint32_t seed) {
  chance dice{std::mt19937(seed)};
  forecaster model;
  const auto count = static_cast<std::size_t>(1 + dice.pick(5));
  std::vector<target_number> numbers;
  for (std::size_t target = 0; target < count; ++target) numbers.push_back(model.target("t" + std::to_string(target)));
  model.route("r", numbers);
  std::uint64_t digest = 0;
  instant now = origin;
  for (int second = 0; second < 12; ++second) {
    for (int step = dice.pick(60); step > 0; --step) model.take(garbage(dice, count, now));
    now = dice.pick(7) == 0 ? dice.time(now) : now + std::chrono::seconds{1};
    now = std::clamp(now, origin - std::chrono::hours{100}, origin + std::chrono::hours{100});  // stays within 100 hours of the start
    const forecast known = model.tick(now);
    std::vector<table_target> rows;
    for (std::size_t target = 0; target < count; ++target)
      rows.push_back({&known.targets[target], static_cast<std::uint32_t>(target % 2)});
    const choice_table table(rows, dice.value(1'000), dice.pick(1) == 0);
    std::vector<target_now> targets(count);
    for (target_now& each : targets) {
      each.state = static_cast<target_state>(dice.pick(3));
      each.in_flight = dice.value(3), each.input_tokens = dice.value(1'000), each.idle_seconds = dice.value(20);
      each.win_cost = dice.value(1'000), each.loss_cost = dice.value(500), each.has_headroom = dice.pick(4) > 0;
    }
    choice_request request;
    request.sort = static_cast<target_sort>(dice.pick(4));
    request.output_tokens = known.routes[0].expected(std::nullopt);
    request.price = dice.value(0.5), request.usual_cost = dice.value(1'000), request.draw = dice.value(0.1);
    request.may_hedge = dice.pick(2) > 0, request.may_hedge_twice = request.may_hedge && dice.pick(1) == 0;
    request.probe_stock = dice.value(1'000), request.bucket = dice.value(1'000);
    const std::size_t asked_before = tests::allocations();
    const adaptive_choice made = choose(table, targets, request);
    EXPECT_EQ(tests::allocations(), asked_before) << "a choice asks for memory";
    std::vector<std::size_t> candidates(count);
    for (std::size_t row = 0; row < count; ++row) candidates[row] = row;
    planned_race planned;
    planned.plan.max_parallel = static_cast<std::size_t>(1 + dice.pick(3));
    apply_choice(made, candidates, {}, std::nullopt, planned);

    const std::set<std::uint8_t> order(made.order.begin(), made.order.begin() + static_cast<std::ptrdiff_t>(made.count));
    EXPECT_EQ(order.size(), made.count) << "a target twice";
    for (const std::uint8_t row : order) EXPECT_TRUE(row < count && targets[row].state != target_state::out);
    EXPECT_FALSE(!request.may_hedge && (made.hedge_after || made.probe));
    EXPECT_LE(planned.plan.at_once, planned.plan.max_parallel);
    EXPECT_LE(planned.plan.hedge_count, race_plan::max_hedges);
    for (const std::size_t each : planned.chosen) EXPECT_LT(each, count);
    for (const auto& delay : {made.hedge_after, made.third_after, made.rescue_after}) {
      if (delay) {
        EXPECT_TRUE(*delay >= 0 && *delay < 1e6) << *delay;
      }
    }
    EXPECT_TRUE(std::isfinite(made.value) || made.count == 0);
    for (const std::uint64_t part : {static_cast<std::uint64_t>(made.count), static_cast<std::uint64_t>(made.order[0]),
                                     static_cast<std::uint64_t>(1e6 * made.hedge_after.value_or(0))})
      digest = (digest ^ part) * 0x100000001b3;
  }
  return digest;
}

TEST(GarbageSteps, LeadToLegalPlansThatAreTheSameForTheSameSeed) {
  for (std::uint32_t seed = 0; seed < 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(play(seed), play(seed));
  }
}

}  // namespace
}  // namespace photofinish::racing
