// Tests the choice of targets if some targets have the request's prompt in their caches.
#include "racing/adaptive/choice_terms.hpp"
#include "racing/adaptive/deadline_rule.hpp"
#include "racing/adaptive/request_table.hpp"
#include "tests/unit/racing/adaptive/choice_fixture.hpp"

#include <gtest/gtest.h>

namespace photofinish::racing {
namespace {

// `input_price` is the price per input token. `saved` is the fraction of this price that a cache hit saves.
constexpr double prompt = 100'000, input_price = 3e-6, saved = 0.9;

// Target 0 has the prompt in its cache. An uncached prompt takes four seconds, and a cached prompt takes one second.
struct conversation : planned_route {
  explicit conversation(std::initializer_list<double> medians) : planned_route(medians) {
    tokens = prompt;
    for (target_forecast& each : known) each.rho = 4e-5;
    for (target_now& each : now) {
      each.input_tokens = prompt;
      each.win_cost = 0.3, each.loss_cost = 0.3;
      each.saved_per_token = saved * input_price;
      each.bills_cut_input = true;
    }
    now[0].match = {.tokens = prompt, .age_seconds = 20};
    request.follows_cache = true;
    request.usual_cost = 0.05;
    request.usual_seconds = 1;
    request.price = 0.1;
  }

  adaptive_choice expect_and_choose() {
    expect_hits(table().rows(), now);
    return choose();
  }
};

TEST(ChoiceCache, AWarmTargetIsFirstThoughAnotherIsUsuallyFaster) {
  conversation route{1.0, 0.7};
  const adaptive_choice made = route.expect_and_choose();
  EXPECT_EQ(made.order[0], 0);
  EXPECT_TRUE(made.follows_cache);
  EXPECT_TRUE(made.is_warm_first());
  EXPECT_EQ(made.moved, move_cause::none);
  conversation ignoring{1.0, 0.7};
  ignoring.request.follows_cache = false;
  EXPECT_EQ(ignoring.choose().order[0], 1);
}

TEST(ChoiceCache, ASlowWarmTargetIsLeft) {
  conversation route{10.0, 0.7};
  route.request.may_hedge = false;
  const adaptive_choice made = route.expect_and_choose();
  EXPECT_EQ(made.order[0], 1);
  EXPECT_EQ(made.warm, 0);
  EXPECT_EQ(made.moved, move_cause::slower);
  EXPECT_NEAR(made.move_cost, route.now[1].win_cost - route.now[0].win_cost, 1e-9);
}

TEST(ChoiceCache, AMoveSaysItsCause) {
  conversation route{1.0, 0.7};
  route.now[0].state = target_state::limited;
  EXPECT_EQ(route.expect_and_choose().moved, move_cause::limited);
  route = conversation{1.0, 0.7};
  route.now[0].state = target_state::cooling;
  EXPECT_EQ(route.expect_and_choose().moved, move_cause::failing);
  route = conversation{1.0, 0.7};
  route.known[0].error_share = 0.9;
  EXPECT_EQ(route.expect_and_choose().moved, move_cause::failing);
  route = conversation{1.0, 0.7};
  route.now[0].match.prior = hit_after_ttl;
  EXPECT_EQ(route.expect_and_choose().moved, move_cause::expired);
  route = conversation{1.0, 0.7};
  route.request.may_hedge = false, route.request.may_explore = true, route.request.draw = 0;
  route.now[1].idle_seconds = 1'000;
  EXPECT_EQ(route.expect_and_choose().moved, move_cause::trial);
}

// Two targets have cached nearly equally long parts of the prompt, because a losing attempt was allowed to finish reading the prompt.
TEST(ChoiceCache, AStartAtATargetThatHasNearlyTheMostIsNoMove) {
  conversation route{1.0, 0.2};
  route.request.may_hedge = false;
  route.now[1].match = {.tokens = 0.91 * prompt, .age_seconds = 20};
  const adaptive_choice stays = route.expect_and_choose();
  ASSERT_EQ(stays.order[0], 1);
  EXPECT_TRUE(stays.is_warm_first());
  EXPECT_EQ(stays.moved, move_cause::none);
  EXPECT_EQ(stays.move_cost, 0);
  route.now[1].match.tokens = 0.89 * prompt;
  const adaptive_choice moves = route.choose();
  ASSERT_EQ(moves.order[0], 1);
  EXPECT_EQ(moves.warm, 0);
  EXPECT_EQ(moves.moved, move_cause::slower);
}

TEST(ChoiceCache, CostsAreThoseOfTheExpectedSplit) {
  conversation route{1.0, 0.7};
  expect_hits(route.table().rows(), route.now);
  EXPECT_DOUBLE_EQ(route.now[0].match.hit_chance, hit_within_ttl);
  EXPECT_NEAR(route.now[0].win_cost, 0.3 - hit_within_ttl * saved * 0.3, 1e-12);
  EXPECT_EQ(route.now[1].win_cost, 0.3);
}

TEST(ChoiceCache, AHedgeOfAWarmTargetIsATwin) {
  conversation route{1.0, 1.0, 1.0};
  const adaptive_choice made = route.expect_and_choose();
  ASSERT_TRUE(made.hedge_after);
  EXPECT_TRUE(made.is_hedge_twin);
  EXPECT_EQ(made.hedge_row(), 0);
  EXPECT_EQ(made.count, 3u);
  EXPECT_FALSE(made.third_after);
  route.request.twin_hedges = false;
  EXPECT_FALSE(route.choose().is_hedge_twin);
}

TEST(ChoiceCache, ASilentWarmTargetIsRescuedThere) {
  conversation route{1.0, 1.0};
  route.request.may_hedge = false;
  EXPECT_TRUE(route.expect_and_choose().is_rescue_twin);
  route.known[0].hang_share = 0.2;
  EXPECT_FALSE(route.choose().is_rescue_twin);
  route.known[0].hang_share = 0.01;
  route.request.twin_hedges = false;
  EXPECT_FALSE(route.choose().is_rescue_twin);
}

// The target without the cached prompt is slower in this turn, but would be faster in the following turns.
TEST(ChoiceCache, AMoveIsPaidOnceAndGainsLater) {
  conversation route{1.4, 0.5};
  expect_hits(route.table().rows(), route.now);
  const choice_terms moves = make_terms(route.table(), route.now, route.request);
  EXPECT_LT(moves.rows[0].alone, moves.rows[1].alone);
  EXPECT_GT(moves.rows[0].value, moves.rows[1].value);
  conversation content{1.0, 0.5};
  expect_hits(content.table().rows(), content.now);
  const choice_terms stays = make_terms(content.table(), content.now, content.request);
  EXPECT_LT(stays.rows[0].value, stays.rows[1].value);
}

TEST(ChoiceCache, ColdTargetsFinishTheirPrefill) {
  conversation route{1.0, 1.0, 1.0};
  route.now[2].bills_cut_input = false;
  EXPECT_EQ(route.expect_and_choose().finishes_prefill, 0b010u | (route.now[0].match.expected() < 96'000 ? 1u : 0u));
  route.request.finish_prefill = false;
  EXPECT_EQ(route.choose().finishes_prefill, 0u);
}

TEST(ChoiceCache, ADearTrialWaitsInProportion) {
  conversation route{1.0, 1.0};
  expect_hits(route.table().rows(), route.now);
  route.request.may_explore = true;
  route.request.probe_stock = 1;
  // A trial measures a target that was idle. An ordinary trial costs 0.015, and is due after 6 s without requests. This trial costs 0.3, so
  // the target must be idle for longer.
  route.now[1].idle_seconds = 10;
  EXPECT_FALSE(route.choose().probe);
  route.now[1].idle_seconds = 200;
  EXPECT_EQ(route.choose().probe, 1);
  route.request.follows_cache = false;
  route.now[1].idle_seconds = 10;
  EXPECT_EQ(route.choose().probe, 1);
}

// The only sample of the target was a stall. An extra attempt that measures the target again would cost 0.3, which the remaining budget for
// such trials does not cover.
TEST(ChoiceCache, ARequestBeginsAtAnUnknownTargetIfTheStockPaysNoTrial) {
  conversation route{1.0, 5.0};
  expect_hits(route.table().rows(), route.now);
  route.request.may_explore = true;
  route.request.probe_stock = 0.1;
  route.request.draw = 0.04;
  route.known[1].samples = 1;
  // A trial measures a target that was idle. An ordinary trial costs 0.015. This trial is more expensive, so the target must first be idle
  // for 20 s.
  route.now[1].idle_seconds = 10;
  EXPECT_EQ(route.choose().order[0], 0);
  route.now[1].idle_seconds = 30;
  const adaptive_choice made = route.choose();
  EXPECT_EQ(made.order[0], 1);
  EXPECT_EQ(made.order[1], 0);
  EXPECT_EQ(made.hedge_after, 0.3);
  EXPECT_EQ(made.hedge_row(), 0);
  EXPECT_FALSE(made.probe);
  EXPECT_EQ(made.moved, move_cause::trial);
  route.request.draw = 0.06;  // at most one request in 20 may be used to measure a target
  EXPECT_EQ(route.choose().order[0], 0);
  route.request.draw = 0.04;
  route.request.probe_stock = 1;
  EXPECT_EQ(route.choose().order[0], 0);
  route.request.probe_stock = 0.1;
  route.known[1].samples = 5;
  EXPECT_EQ(route.choose().order[0], 0);
  route.known[1].samples = 1;
  route.request.follows_cache = false;
  EXPECT_EQ(route.choose().order[0], 0);
}

TEST(ChoiceCache, PredictionsComeFromBothCurves) {
  conversation route{1.0, 1.0};
  route.request.may_hedge = false;
  const adaptive_choice made = route.expect_and_choose();
  const choice_table table = route.table();
  const auto at = [&](double silent) { return predicted_first_token(table.rows(), route.now, made, silent); };
  const double warm = 1 + 4e-5 * tokens_to_read(prompt, prompt), cold = 1 + 4e-5 * prompt;
  EXPECT_NEAR(at(0.5), warm, 0.15 * warm);
  EXPECT_GT(at(0.05), 0.8 * cold);  // 7 % of the predicted cache hits are misses
  EXPECT_NEAR(silent_share(table.rows()[0], route.now[0], at(0.1)), 0.1, 0.01);
}

TEST(ChoiceCache, WithoutAMatchTheTicksTableCounts) {
  conversation route{1.0, 1.2, 1.5};
  route.now[0].match = {};
  const adaptive_choice made = route.expect_and_choose();
  planned_route plain = route;
  plain.request.follows_cache = false;
  const adaptive_choice before = plain.choose();
  EXPECT_EQ(made.value, before.value);
  EXPECT_EQ(made.hedge_after, before.hedge_after);
  EXPECT_EQ(made.order, before.order);
  EXPECT_FALSE(made.warm);
  EXPECT_FALSE(made.is_rescue_twin);
}

TEST(ChoiceCache, ADeadlinesHedgeStartsAsLateAsIsSafe) {
  conversation route{1.0, 1.0};
  adaptive_choice made = route.expect_and_choose();
  ASSERT_TRUE(made.hedge_after);
  const double usual = *made.hedge_after;
  meet_deadline(route.table(), route.now, route.request, 6, 3, made);
  ASSERT_TRUE(made.hedge_after);
  EXPECT_TRUE(made.is_hedge_twin);  // the cheapest hedge within the deadline is a second attempt at the first target
  EXPECT_GT(*made.hedge_after, usual);
  EXPECT_NEAR(made.deadline_chance, 0.98, 0.002);
  adaptive_choice patient = route.choose();
  meet_deadline(route.table(), route.now, route.request, 60, 3, patient);
  EXPECT_FALSE(patient.hedge_after);
  EXPECT_FALSE(patient.is_hedge_twin);
  EXPECT_GT(patient.deadline_chance, 0.98);
  EXPECT_EQ(patient.count, 2u);
}

// Once per second, the gateway computes predictions for pairs of targets, for each class of requests. It can also compute them for a single
// request. Both predictions must agree if the request is typical of its class.
TEST(ChoiceCache, ATableOfARequestIsCloseToTheTicks) {
  planned_route route{0.6, 0.9, 1.3};
  route.request.follows_cache = true;
  for (target_now& each : route.now) each.match = {.tokens = 1, .prior = 1, .hit_chance = 1};
  const choice_table table = route.table();
  const choice_terms terms = make_terms(table, route.now, route.request);
  const request_table own(table, route.now, terms, true);
  ASSERT_EQ(own.places(), 3u);
  for (std::size_t first = 0; first < 3; ++first)
    for (std::size_t second = 0; second < 3; ++second) {
      if (first == second) continue;
      for (std::size_t delay = 0; delay < hedge_shares.size(); ++delay) {
        const pair_cell& mine = own.pair(first, second, delay);
        const pair_cell& ticks = table.pair(first, second, delay);
        EXPECT_NEAR(mine.first_token, ticks.first_token, 0.02 * ticks.first_token);
        EXPECT_NEAR(mine.second_wins, ticks.second_wins, 0.02);
        EXPECT_NEAR(mine.first_wins_late, ticks.first_wins_late, 0.02);
        EXPECT_NEAR(own.delay(first, delay), table.rows()[first].delays[delay], 0.06 * own.delay(first, delay));
      }
    }
}

}  // namespace
}  // namespace photofinish::racing
