// Tests the choice of targets with random forecasts and requests. Each choice must be valid and within its limits. The same input must give
// the same choice.
#include "racing/adaptive_planner.hpp"
#include "tests/unit/racing/adaptive/choice_fixture.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

namespace photofinish::racing {
namespace {

struct chance {
  std::mt19937 engine;

  int pick(int most) { return std::uniform_int_distribution<int>(0, most)(engine); }
  // Returns a value near the usual size, or sometimes an invalid or extreme value.
  double value(double usual) {
    switch (pick(9)) {
      case 0: return 0;
      case 1: return -usual;
      case 2: return std::numeric_limits<double>::quiet_NaN();
      case 3: return std::numeric_limits<double>::infinity();
      case 4: return 1e300;
      default: return usual * std::exp(2 * std::normal_distribution<double>()(engine));
    }
  }
};

planned_route random_route(chance& dice) {
  planned_route route({});
  const int targets = 1 + dice.pick(dice.pick(4) == 0 ? 39 : 5);
  for (int n = 0; n < targets; ++n) {
    target_forecast known = forecast_of(0.5, static_cast<std::uint64_t>(dice.pick(30)));
    known.level = dice.value(1), known.shift = dice.value(0.5), known.rho = dice.value(1e-4);
    known.error_share = dice.value(0.1), known.hang_share = dice.value(0.1), known.surprise_down = dice.value(1);
    known.first_token_load = {dice.value(1), dice.value(5), dice.value(0.05), dice.value(1), 10};
    known.decode = {dice.value(0.01), dice.value(5), dice.value(0.001), dice.value(0.005), static_cast<std::uint64_t>(dice.pick(3))};
    route.known.push_back(known);
    target_now now;
    now.state = static_cast<target_state>(dice.pick(3));
    now.in_flight = dice.value(5), now.input_tokens = dice.value(1'000);
    now.win_cost = dice.value(1'000), now.loss_cost = dice.value(600), now.idle_seconds = dice.value(10);
    now.has_headroom = dice.pick(4) > 0;
    if (dice.pick(3) == 0) now.error_share = dice.value(0.2);
    route.now.push_back(now);
  }
  route.tokens = dice.value(2'000);
  route.thirds = dice.pick(1) == 0;
  route.request = {static_cast<target_sort>(dice.pick(4)), dice.value(250), dice.value(0.5), dice.value(1'000), dice.pick(3) > 0,
                   dice.pick(1) == 0, dice.value(1'000), dice.value(1'000), dice.value(0.5), dice.pick(1) == 0};
  return route;
}

void expect_legal(const planned_route& route, const adaptive_choice& made) {
  const std::size_t rows = std::min(route.now.size(), max_rows);
  std::set<std::size_t> usable, all;
  for (std::size_t row = 0; row < rows; ++row) {
    if (route.now[row].state == target_state::ready) usable.insert(row);
    if (route.now[row].state != target_state::out) all.insert(row);
  }
  const auto& runs = usable.empty() ? all : usable;
  std::set<std::size_t> order(made.order.begin(), made.order.begin() + static_cast<std::ptrdiff_t>(made.count));
  EXPECT_EQ(order, runs);
  EXPECT_EQ(order.size(), made.count) << "a target twice";
  if (made.probe) {
    EXPECT_TRUE(all.contains(*made.probe) && *made.probe != made.order[0]);
  }
  EXPECT_FALSE(made.hedge_after && made.count < 2);
  EXPECT_FALSE(made.third_after && (made.count < 3 || !made.hedge_after));
  EXPECT_FALSE(!route.request.may_hedge && (made.hedge_after || made.probe));
  EXPECT_FALSE(!route.request.may_hedge_twice && made.third_after);
  for (const auto& delay : {made.hedge_after, made.third_after, made.rescue_after}) {
    if (delay) {
      EXPECT_TRUE(*delay >= 0 && *delay < 1e6) << *delay;
    }
  }
  EXPECT_EQ(made.rescue_after.has_value(), made.count > 0);
}

TEST(ChoiceRandom, AnyForecastAndRequestLeadToALegalPlan) {
  for (std::uint32_t seed = 0; seed < 3'000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    chance dice{std::mt19937(seed)};
    const planned_route route = random_route(dice);
    const choice_table table = route.table();
    const adaptive_choice made = choose(table, route.now, route.request);
    expect_legal(route, made);
    const adaptive_choice again = choose(route.table(), route.now, route.request);
    EXPECT_EQ(again.order, made.order);
    EXPECT_EQ(again.hedge_after, made.hedge_after);
    EXPECT_EQ(again.probe, made.probe);
    const adaptive_choice sorted = order_by(table, route.now, route.request);
    EXPECT_EQ(sorted.count, made.count);
    if (made.count == 0) continue;
    std::vector<std::size_t> candidates(route.now.size());
    for (std::size_t row = 0; row < candidates.size(); ++row) candidates[row] = row;
    planned_race planned;
    planned.plan.max_parallel = static_cast<std::size_t>(1 + dice.pick(3));
    apply_choice(made, candidates, {}, std::nullopt, planned);
    EXPECT_LE(planned.plan.at_once + planned.plan.hedge_count, planned.plan.rescue_only_from);
    EXPECT_EQ(planned.plan.target_count, planned.chosen.size());
    EXPECT_GE(planned.plan.max_attempts, 1u);
  }
}

}  // namespace
}  // namespace photofinish::racing
