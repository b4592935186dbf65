// Tests race plans that depend on the known speeds of the targets.
#include "racing/speed_planner.hpp"

#include "racing/adaptive/forecast_keeper.hpp"
#include "tests/unit/racing/adaptive/choice_fixture.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;
using targets = std::vector<std::size_t>;

constexpr instant now{1h};

// A route of three targets with these median times to the first token. Each target has its own provider.
struct known_route {
  std::vector<candidate> candidates{{"a/m"}, {"b/m"}, {"c/m"}};
  race_settings settings;
  plan_overrides overrides;
  scoreboard board;
  forecast_terms terms;
  std::shared_ptr<const choice_table> table;

  explicit known_route(race_policy policy, std::initializer_list<double> medians = {1.2, 0.2, 0.6}, double share = 0.1) {
    settings.policy = policy;
    settings.max_extra_cost = share;
    std::vector<target_forecast> known;
    for (const double median : medians) known.push_back(forecast_of(median));
    std::vector<table_target> rows;
    for (std::size_t row = 0; row < known.size(); ++row) rows.push_back({&known[row], static_cast<std::uint32_t>(row)});
    table = std::make_shared<const choice_table>(rows, 1'000, share >= 0.3);
    auto route = std::make_shared<route_speed>();
    route->budget = std::make_shared<speculation_budget>(share);
    route->reading.price = 0.5;
    route->reading.usual_cost = 1'000;
    route->tables[2] = table;
    terms.route = std::move(route);
    terms.table = table.get();
    for (std::size_t row = 0; row < known.size(); ++row) {
      target_now each;
      each.win_cost = 1'000, each.loss_cost = 600, each.input_tokens = 1'000, each.idle_seconds = 0;
      terms.targets.push_back(each);
      terms.candidates.push_back(row);
    }
  }

  planned_race plan() {
    planned_race made = std::get<planned_race>(make_plan(candidates, settings, overrides, board, now));
    plan_by_speed(terms, candidates, settings, overrides, board, now, made);
    return made;
  }
};

TEST(SpeedPlanner, AdaptiveStartsTheFastestAndHedgesAtItsOwnDelay) {
  known_route route(race_policy::adaptive);
  const planned_race made = route.plan();
  EXPECT_EQ(made.plan.policy, race_policy::adaptive);
  EXPECT_EQ(made.chosen.front(), 1u);
  ASSERT_TRUE(made.choice);
  EXPECT_GT(made.plan.rescue_after, 0ms);
  EXPECT_EQ(made.plan.rescue_only_from, 3u);
  EXPECT_EQ(made.chosen.size(), 6u);
}

TEST(SpeedPlanner, WithoutFiguresAdaptiveIsAsListedWithARescueAlone) {
  known_route route(race_policy::adaptive);
  const planned_race made = std::get<planned_race>(make_plan(route.candidates, route.settings, {}, {}, now));
  EXPECT_EQ(made.chosen, (targets{0, 1, 2}));
  EXPECT_EQ(made.plan.hedge_count, 0u);
  EXPECT_EQ(made.plan.at_once, 1u);
  EXPECT_EQ(made.plan.rescue_after, 3s);
}

TEST(SpeedPlanner, EveryPolicySortsAndKeepsWhatElseItIs) {
  for (const race_policy policy : {race_policy::all, race_policy::hedge, race_policy::fallback}) {
    known_route route(policy);
    EXPECT_EQ(route.plan().chosen, (targets{0, 1, 2})) << to_string(policy);
    route.settings.sort = target_sort::ttft;
    const planned_race made = route.plan();
    EXPECT_EQ(made.chosen, (targets{1, 2, 0})) << to_string(policy);
    EXPECT_EQ(made.plan.policy, policy);
    EXPECT_EQ(made.plan.hedge_delay, 300ms);
    EXPECT_FALSE(made.choice);
  }
}

TEST(SpeedPlanner, SortCostTakesTheCheapestFirst) {
  known_route route(race_policy::fallback);
  route.settings.sort = target_sort::cost;
  route.terms.targets[2].win_cost = 10;
  EXPECT_EQ(route.plan().chosen.front(), 2u);
}

TEST(SpeedPlanner, AnAutomaticDelayIsTheFirstOnesOwn) {
  known_route route(race_policy::hedge);
  route.settings.is_hedge_delay_auto = true;
  const planned_race listed = route.plan();
  EXPECT_GT(listed.plan.hedge_delay, 1'200ms);
  EXPECT_LT(listed.plan.hedge_delay, 10s);
  route.settings.sort = target_sort::ttft;
  EXPECT_LT(route.plan().plan.hedge_delay, listed.plan.hedge_delay / 2);
}

TEST(SpeedPlanner, ARequestMayLengthenADelayAndNotShortenIt) {
  known_route route(race_policy::hedge);
  route.settings.is_hedge_delay_auto = true;
  const auto own = route.plan().plan.hedge_delay;
  route.overrides.hedge_delay = 1ms;
  EXPECT_EQ(route.plan().plan.hedge_delay, own);
  route.overrides.hedge_delay = own + 1s;
  EXPECT_EQ(route.plan().plan.hedge_delay, own + 1s);
}

TEST(SpeedPlanner, ARouteThatStartsAllAndIsLoweredToAHedgeHasTheAutomaticDelayOrTheRequestsOwn) {
  known_route route(race_policy::all);
  route.settings.is_hedge_delay_auto = true;
  EXPECT_TRUE(needs_speed(route.settings));
  EXPECT_EQ(route.plan().plan.policy, race_policy::all);
  route.overrides.policy = race_policy::hedge;
  EXPECT_GT(route.plan().plan.hedge_delay, 1'200ms);
  route.overrides.hedge_delay = 50ms;
  EXPECT_EQ(route.plan().plan.hedge_delay, 50ms);
}

TEST(SpeedPlanner, ARequestMayLowerAdaptiveToFallbackAndKeepsItsOrder) {
  known_route route(race_policy::adaptive);
  route.overrides.policy = race_policy::fallback;
  const planned_race made = route.plan();
  EXPECT_EQ(made.plan.policy, race_policy::fallback);
  EXPECT_EQ(made.chosen, (targets{1, 2, 0}));
}

TEST(SpeedPlanner, AdaptiveCostsLessThanAHedgeAndMoreThanFallback) {
  known_route route(race_policy::adaptive);
  for (const race_policy costlier : {race_policy::all, race_policy::hedge}) {
    route.overrides.policy = costlier;
    EXPECT_TRUE(std::holds_alternative<refused_override>(make_plan(route.candidates, route.settings, route.overrides, {}, now)));
  }
  route.settings.policy = race_policy::hedge;
  route.overrides.policy = race_policy::adaptive;
  EXPECT_EQ(route.plan().plan.policy, race_policy::adaptive);
}

TEST(SpeedPlanner, ADeadlineThatIsEasilyMetChangesNothing) {
  known_route route(race_policy::adaptive);
  const planned_race usual = route.plan();
  route.settings.deadline = 60s;
  const planned_race made = route.plan();
  EXPECT_EQ(made.chosen, usual.chosen);
  EXPECT_EQ(made.plan.hedge_after, usual.plan.hedge_after);
  ASSERT_TRUE(made.choice->deadline);
  EXPECT_GE(made.choice->deadline_chance, 0.99);
  EXPECT_FALSE(made.choice->is_hastened);
  EXPECT_FALSE(usual.choice->deadline);
}

TEST(SpeedPlanner, ADeadlineThatOneAloneHardlyMeetsStartsMoreAtOnceAsHedges) {
  known_route route(race_policy::adaptive, {0.5, 0.5, 0.6});
  route.settings.deadline = 60s;
  route.overrides.deadline = 520ms;  // the request's deadline overrides the route's deadline
  const planned_race made = route.plan();
  EXPECT_TRUE(made.choice->is_hastened);
  EXPECT_EQ(made.plan.at_once, 1u) << "the budget is asked";
  ASSERT_EQ(made.plan.hedge_count, 2u);
  EXPECT_EQ(made.plan.hedge_after[0], 0ms);
  EXPECT_EQ(made.plan.hedge_after[1], 0ms);
  EXPECT_GT(made.choice->deadline_chance, 0.6);
  route.overrides.max_parallel = 2;
  EXPECT_EQ(route.plan().plan.hedge_count, 1u);
}

TEST(SpeedPlanner, ADeadlineSpendsNothingWhereNothingMayBeSpent) {
  known_route route(race_policy::adaptive, {0.5, 0.5, 0.6}, 0);
  route.settings.deadline = 520ms;
  const planned_race made = route.plan();
  EXPECT_FALSE(made.choice->is_hastened);
  EXPECT_EQ(made.plan.hedge_count, 0u);
}

TEST(SpeedPlanner, ADeadlineThatNoneCanMeetIsKnownAsSuch) {
  known_route route(race_policy::adaptive);
  route.settings.deadline = 10ms;
  EXPECT_LT(route.plan().choice->deadline_chance, 0.05);
}

TEST(SpeedPlanner, OfAWholeAnswerTheDeadlineIsForItsEnd) {
  known_route route(race_policy::adaptive);
  route.settings.deadline = 1s;  // the first token arrives after 0.2 s, and 250 tokens have arrived after 2.7 s
  EXPECT_GT(route.plan().choice->deadline_chance, 0.8);
  route.overrides.is_whole = true;
  EXPECT_LT(route.plan().choice->deadline_chance, 0.05);
}

TEST(SpeedPlanner, WhoCannotRunIsLeftOutAndWhoIsNotComparedRunsLast) {
  known_route route(race_policy::adaptive);
  route.candidates[1].has_key = false;
  route.candidates.push_back({"new/m"});
  const planned_race made = route.plan();
  EXPECT_EQ(made.chosen, (targets{2, 0, 3, 2, 0}));
  ASSERT_EQ(made.skipped.size(), 1u);
  EXPECT_EQ(made.skipped[0].reason, skip_reason::no_key);
}

TEST(SpeedPlanner, ATableOfAnotherConfigurationIsUsedAsFarAsItGoes) {
  known_route route(race_policy::adaptive);
  route.candidates.erase(route.candidates.begin() + 1);
  route.terms.candidates = {0, forecast_terms::no_candidate, 1};
  const planned_race made = route.plan();
  EXPECT_EQ(made.chosen, (targets{1, 0, 1, 0}));
}

TEST(SpeedPlanner, OneThatIsNotComparedRunsBeforeThoseThatCoolDown) {
  for (const race_policy policy : {race_policy::adaptive, race_policy::fallback}) {
    known_route route(policy);
    route.settings.sort = target_sort::ttft;
    route.candidates.push_back({"new/m"});
    for (const char* each : {"a/m", "b/m", "c/m"}) route.board.cools_until[each] = now + 1min;
    const planned_race made = route.plan();
    EXPECT_EQ(made.chosen, (targets{3})) << to_string(policy);
    EXPECT_EQ(made.plan.target_count, 1u);
    EXPECT_EQ(made.skipped.size(), 3u);
    known_route cooling(policy);
    cooling.settings.sort = target_sort::ttft;
    cooling.candidates.push_back({"new/m"});
    cooling.board = route.board;
    cooling.board.cools_until["new/m"] = now + 1min;
    EXPECT_EQ(cooling.plan().chosen.front(), 1u) << "where all cool down all run";
  }
}

TEST(SpeedPlanner, ATargetThatCoolsDownAfterErrorsMayBeTriedAndOneThatIsLimitedNot) {
  known_route route(race_policy::adaptive);
  route.board.cools_until["c/m"] = now + 1min;
  route.terms.route->budget->expect(1'000);
  route.terms.targets[2].idle_seconds = 3'600;
  route.terms.targets[2].loss_cost = 100;
  const planned_race tried = route.plan();
  ASSERT_TRUE(tried.choice && tried.choice->probe);
  EXPECT_EQ(tried.chosen[1], 2u);
  EXPECT_EQ(tried.plan.at_once, 2u);
  EXPECT_TRUE(tried.skipped.empty());
  route.board.limited_until["c/m"] = now + 1min;
  const planned_race left_out = route.plan();
  EXPECT_FALSE(left_out.choice->probe);
  EXPECT_EQ(left_out.skipped.size(), 1u);
}

TEST(SpeedPlanner, AProbeIsPaidFromTheBudgetOrDoesNotRun) {
  known_route route(race_policy::adaptive);
  route.terms.targets[2].idle_seconds = 3'600;
  route.terms.targets[2].loss_cost = 100;
  route.terms.route->budget->expect(1'000);
  const double stock = route.terms.route->budget->stock();
  EXPECT_TRUE(route.plan().choice->probe);
  EXPECT_EQ(route.terms.route->budget->stock(), stock - 100);
  for (int n = 0; n < 100; ++n) route.plan();
  EXPECT_FALSE(route.plan().choice->probe);
  EXPECT_GE(route.terms.route->budget->stock(), 0);
}

TEST(SpeedPlanner, TheFirstRaceOfARouteHasABudget) {
  known_route route(race_policy::adaptive);
  route.terms.targets[2].idle_seconds = 3'600;
  route.terms.targets[2].loss_cost = 100;
  const planned_race made = route.plan();
  ASSERT_TRUE(made.choice && made.choice->probe);
  EXPECT_EQ(made.chosen.front(), 1u);
}

TEST(SpeedPlanner, WithOneAttemptNothingIsHedgedOrTried) {
  for (const bool by_parallel : {true, false}) {
    known_route route(race_policy::adaptive);
    route.terms.targets[2].idle_seconds = 3'600;
    if (by_parallel) route.overrides.max_parallel = 1;
    else route.overrides.max_attempts = 1;
    const planned_race made = route.plan();
    EXPECT_EQ(made.plan.hedge_count, 0u);
    EXPECT_EQ(made.plan.at_once, 1u);
    EXPECT_EQ(made.plan.max_attempts, by_parallel ? made.chosen.size() : 1u);
  }
}

TEST(SpeedPlanner, WhereOneMayRunAtATimeItIsFallbackWithItsLimitAndTheBestOrder) {
  known_route route(race_policy::adaptive);
  route.settings.race_timeout = 30s;
  route.overrides.max_parallel = 1;
  const planned_race made = route.plan();
  EXPECT_EQ(made.plan.policy, race_policy::fallback);
  EXPECT_EQ(made.plan.first_token_timeout, 10s);
  EXPECT_EQ(made.chosen, (targets{1, 2, 0}));
}

TEST(SpeedPlanner, AStoredAnswerIsOneAttemptAtATimeInTheBestOrder) {
  known_route route(race_policy::adaptive);
  route.overrides.is_stored = true;
  const planned_race made = route.plan();
  EXPECT_EQ(made.plan.policy, race_policy::fallback);
  EXPECT_EQ(made.plan.max_parallel, 1u);
  EXPECT_EQ(made.chosen, (targets{1, 2, 0}));
}

TEST(SpeedPlanner, WhatIsForeseenIsWhatIsPlannedAndTakesNothingFromTheBudget) {
  known_route route(race_policy::adaptive);
  speculation_budget& budget = *route.terms.route->budget;
  budget.expect(1'000);
  const double bucket = budget.bucket(), stock = budget.stock();
  ASSERT_GT(bucket, 0);
  const adaptive_choice foreseen = foresee(route.terms, route.settings);
  EXPECT_EQ(budget.bucket(), bucket);
  EXPECT_EQ(budget.stock(), stock);
  const planned_race planned = route.plan();
  ASSERT_TRUE(planned.choice);
  EXPECT_EQ(foreseen.order[0], planned.choice->order[0]);
  EXPECT_EQ(foreseen.hedge_after, planned.choice->hedge_after);
  EXPECT_EQ(foreseen.rescue_after, planned.choice->rescue_after);
}

TEST(SpeedPlanner, OfOtherPoliciesTheirOrderIsForeseen) {
  known_route route(race_policy::fallback);
  route.settings.sort = target_sort::ttft;
  const adaptive_choice foreseen = foresee(route.terms, route.settings);
  ASSERT_EQ(foreseen.count, 3u);
  EXPECT_EQ(foreseen.order[0], 1u);
  EXPECT_EQ(foreseen.order[2], 0u);
  EXPECT_FALSE(foreseen.hedge_after);
}

}  // namespace
}  // namespace photofinish::racing
