#include "gateway/bench/scorecard/comparison_plan.hpp"

#include "gateway/bench/scorecard/turn_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

comparison_plan planned(bench_options options, const std::vector<std::size_t>& sizes, std::size_t endpoints) {
  comparison_result result = make_comparison(std::move(options), sizes, endpoints, 7);
  for (const std::string& problem : result.problems) ADD_FAILURE() << problem;
  return std::move(result.plan);
}

std::string only_problem(bench_options options, const std::vector<std::size_t>& sizes, std::size_t endpoints = 2) {
  const comparison_result result = make_comparison(std::move(options), sizes, endpoints, 7);
  return result.problems.size() == 1 ? result.problems.front() : std::to_string(result.problems.size()) + " problems";
}

TEST(ComparisonPlan, AsksOneAtATimeTwentyTimesByDefault) {
  const comparison_plan plan = planned({}, {1000, 100, 1000}, 3);
  EXPECT_EQ(plan.input_tokens, (std::vector<std::size_t>{100, 1000}));
  EXPECT_EQ(plan.rounds, 20u);
  ASSERT_EQ(plan.common.levels.size(), 1u);
  EXPECT_EQ(plan.common.levels.front().concurrency, 1u);
}

TEST(ComparisonPlan, EachRoundAsksEachEndpointAtEachSizeOnce) {
  const comparison_plan plan = planned({.requests = 4}, {100, 1000}, 3);
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    std::set<std::pair<std::size_t, std::size_t>> asked;
    for (const turn& each : turns_of(plan, 3, round)) {
      asked.insert({each.endpoint, each.size});
      EXPECT_EQ(each.requests, 1u);
    }
    EXPECT_EQ(asked.size(), 6u);
    EXPECT_EQ(turns_of(plan, 3, round).size(), 6u);
  }
}

TEST(ComparisonPlan, NoEndpointAlwaysFollowsTheSameOne) {
  const comparison_plan plan = planned({.requests = 60}, {100}, 3);
  std::map<std::size_t, int> firsts;
  for (std::size_t round = 0; round < plan.rounds; ++round) ++firsts[turns_of(plan, 3, round).front().endpoint];
  for (std::size_t endpoint = 0; endpoint < 3; ++endpoint) EXPECT_GT(firsts[endpoint], 8) << endpoint;
  EXPECT_EQ(turns_of(plan, 3, 4), turns_of(plan, 3, 4)) << "a seed gives one order";
}

TEST(ComparisonPlan, TheLastRoundAsksForWhatIsLeft) {
  const comparison_plan plan = planned({.concurrency = {4}, .requests = 10}, {100}, 1);
  EXPECT_EQ(plan.rounds, 3u);
  EXPECT_EQ(turns_of(plan, 1, 1).front().requests, 4u);
  EXPECT_EQ(turns_of(plan, 1, 2).front().requests, 2u);
}

TEST(ComparisonPlan, WhatIsWrongNamesItsOption) {
  EXPECT_NE(only_problem({.rates = {1}}, {100}).find("--rate"), std::string::npos);
  EXPECT_NE(only_problem({.concurrency = {1, 2}}, {100}).find("--concurrency"), std::string::npos);
  EXPECT_NE(only_problem({.goodput = "time_to_first_token:9"}, {100}).find("--goodput"), std::string::npos);
  EXPECT_NE(only_problem({}, {100, 3}).find("--input-tokens"), std::string::npos);
  EXPECT_NE(only_problem({}, {20, 21, 22, 23, 24, 25, 26, 27, 28}).find("--input-tokens"), std::string::npos);
  EXPECT_NE(only_problem({}, {100}, most_endpoints + 1).find("URL"), std::string::npos);
  EXPECT_NE(only_problem({.spending = {.max_cost = -1}}, {100}).find("--max-cost"), std::string::npos);
}

TEST(ComparisonPlan, ACapOnCostNeedsNoPriceYet) {
  EXPECT_EQ(planned({.spending = {.max_cost = 2}}, {100}, 2).common.spending.max_cost_usd, 2);
}

TEST(ComparisonPlan, AUrlMayNameItsModel) {
  EXPECT_EQ(split_endpoint("http://x/v1#a/b").url, "http://x/v1");
  EXPECT_EQ(split_endpoint("http://x/v1#a/b").model, "a/b");
  EXPECT_EQ(split_endpoint("http://x/v1").model, "");
}

TEST(ComparisonPlan, OneValueForEachUrlOrNone) {
  EXPECT_EQ(wrong_count("--price-in", 0, 2), "");
  EXPECT_EQ(wrong_count("--price-in", 2, 2), "");
  EXPECT_EQ(wrong_count("--price-in", 1, 2), "--price-in: give one value for each URL, in the order of the URLs. Needed: 2, given: 1");
}

request_record refused(proxy::failure_kind kind) {
  request_record record;
  record.error.emplace();
  record.error->kind = kind;
  return record;
}

TEST(ComparisonTurns, AnEndpointThatRefusesTheFirstRequestsIsAskedNoMore) {
  const request_record too_long = refused(proxy::failure_kind::bad_request);
  EXPECT_EQ(why_give_up({too_long}), "");
  EXPECT_EQ(why_give_up({too_long, too_long}), "refused 2 requests of 2");
  EXPECT_EQ(why_give_up({too_long, {}}), "");
  EXPECT_EQ(why_give_up({too_long, refused(proxy::failure_kind::rate_limited)}), "");
}

TEST(ComparisonTurns, TheLineSaysWhoIsAsked) {
  const comparison_plan plan = planned({}, {100, 10'000}, 2);
  EXPECT_EQ(turn_text(plan, 2, {.endpoint = 1, .size = 1, .requests = 1}), "round 3 of 20: B, 10,000 tokens in");
}

}  // namespace
}  // namespace photofinish::gateway::bench
