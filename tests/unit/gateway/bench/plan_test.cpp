#include "gateway/bench/plan.hpp"

#include "gateway/probes/prompt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

std::string only_problem(const bench_options& options) {
  const plan_result result = make_plan(options, 1);
  return result.problems.size() == 1 ? result.problems.front() : std::to_string(result.problems.size()) + " problems";
}

TEST(BenchPlan, DefaultIsASweepOfFourLevels) {
  const plan_result result = make_plan({}, 7);
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.plan.levels.size(), 4u);
  EXPECT_EQ(result.plan.levels[0].name(), "concurrency 1");
  EXPECT_EQ(result.plan.levels[0].requests, 20u);
  EXPECT_EQ(result.plan.levels[3].concurrency, 50u);
  EXPECT_EQ(result.plan.levels[3].requests, 250u);
  EXPECT_EQ(result.plan.levels[3].warmup, 50u);
  EXPECT_EQ(result.plan.seed, 7u);
}

TEST(BenchPlan, DurationAloneSetsNoNumberOfRequests) {
  const plan_result result = make_plan({.concurrency = {2}, .duration = "3s", .warmup = 0}, 1);
  EXPECT_FALSE(result.plan.levels[0].requests);
  EXPECT_EQ(result.plan.levels[0].warmup, 0u);
  EXPECT_EQ(result.plan.duration, std::chrono::seconds(3));
}

TEST(BenchPlan, FewerRequestsThanRunAtOnceAreRefused) {
  EXPECT_EQ(only_problem({.concurrency = {1, 50}, .requests = 5}),
            "--requests: 5 is too small to keep 50 requests running at the same time; raise --requests to 50 or more, or lower "
            "--concurrency");
  EXPECT_TRUE(make_plan({.concurrency = {50}, .requests = 50}, 1).problems.empty());
  EXPECT_TRUE(make_plan({.concurrency = {50}, .rates = {2}, .requests = 5}, 1).problems.empty())
      << "an open loop never promised to keep them running";
}

TEST(BenchPlan, DefaultLevelsAreThoseThatTheRequestsCanKeepRunning) {
  const plan_result result = make_plan({.requests = 12}, 1);
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.plan.levels.size(), 2u);
  EXPECT_EQ(result.plan.levels[1].concurrency, 10u);
  EXPECT_EQ(result.plan.levels[1].requests, 12u);
}

TEST(BenchPlan, RatesAreOpenLoopLevels) {
  const plan_result result = make_plan({.concurrency = {8}, .rates = {2.5, 10}}, 1);
  ASSERT_EQ(result.plan.levels.size(), 2u);
  EXPECT_TRUE(result.plan.levels[0].is_open());
  EXPECT_EQ(result.plan.levels[0].name(), "rate 2.5/s");
  EXPECT_EQ(result.plan.levels[0].concurrency, 8u);
}

TEST(BenchPlan, ExtraInputsAreJsonWhereTheyCanBe) {
  const plan_result result =
      make_plan({.extra_inputs = {"ignore_eos:true", "stop:end", "temperature:0.5", "x:{\"a\":1}", "empty:"}}, 1);
  using member = std::pair<std::string, std::string>;
  const std::vector<member> expected{
      {"ignore_eos", "true"}, {"stop", "\"end\""}, {"temperature", "0.5"}, {"x", "{\"a\":1}"}, {"empty", "\"\""}};
  EXPECT_EQ(result.plan.extra_members, expected);
}

struct wrong_option {
  const char* name;
  std::function<void(bench_options&)> set;
  const char* says;
};

TEST(BenchPlan, WhatIsWrongNamesItsOption) {
  const std::vector<wrong_option> cases{
      {"no concurrency", [](bench_options& o) { o.concurrency = {0}; }, "--concurrency"},
      {"negative rate", [](bench_options& o) { o.rates = {-1}; }, "--rate"},
      {"rate with a sweep", [](bench_options& o) { o.rates = {1}, o.concurrency = {1, 2}; }, "--rate: allows only one --concurrency value"},
      {"no requests", [](bench_options& o) { o.requests = 0; }, "--requests"},
      {"bad duration", [](bench_options& o) { o.duration = "soon"; }, "--duration"},
      {"no timeout", [](bench_options& o) { o.timeout = "0"; }, "--timeout"},
      {"bad arrivals", [](bench_options& o) { o.arrivals = "gamma"; }, "--arrivals"},
      {"short prompt", [](bench_options& o) { o.input_tokens = 3; }, "--input-tokens"},
      {"no answer", [](bench_options& o) { o.max_tokens = 0; }, "--max-tokens"},
      {"bad header", [](bench_options& o) { o.headers = {"no colon"}; }, "--header"},
      {"header with a line break", [](bench_options& o) { o.headers = {"a: b\r\nc: d"}; }, "--header"},
      {"bad extra", [](bench_options& o) { o.extra_inputs = {"alone"}; }, "--extra-inputs"},
      {"the bench's own member", [](bench_options& o) { o.extra_inputs = {"stream:false"}; }, "--extra-inputs"},
      {"cost without prices", [](bench_options& o) { o.spending.max_cost = 1; }, "--max-cost: needs prices"},
      {"half a price", [](bench_options& o) { o.spending.price_in = 1; }, "--price-in and --price-out: give both"},
      {"a price of cached input alone", [](bench_options& o) { o.spending.price_cached = 1; }, "--price-cached: needs --price-in"},
      {"negative price", [](bench_options& o) { o.spending.price_in = -1, o.spending.price_out = 1; }, "non-negative amount in USD"},
      {"bad goodput", [](bench_options& o) { o.goodput = "ttft"; }, "--goodput"},
      {"unknown goodput", [](bench_options& o) { o.goodput = "request_latencyy:4"; }, "did you mean 'request_latency'"},
  };
  for (const wrong_option& each : cases) {
    bench_options options;
    each.set(options);
    EXPECT_NE(only_problem(options).find(each.says), std::string::npos) << each.name << ": " << only_problem(options);
  }
}

TEST(BenchPlan, AHeadersProblemDoesNotRepeatIt) {
  EXPECT_EQ(only_problem({.headers = {"Bearer sk-secret"}}).find("sk-secret"), std::string::npos);
}

TEST(BenchArrivals, ConstantOnesAreEvenlySpaced) {
  arrival_clock clock(10, arrival_pattern::constant, 1);
  EXPECT_EQ(clock.next().count(), 0);
  EXPECT_EQ(clock.next(), std::chrono::milliseconds(100));
  EXPECT_EQ(clock.next(), std::chrono::milliseconds(200));
}

TEST(BenchArrivals, PoissonOnesHaveTheRateAndItsSpread) {
  arrival_clock clock(50, arrival_pattern::poisson, 3);
  constexpr int count = 20'000;
  double last = 0, squares = 0;
  for (int i = 0; i <= count; ++i) {
    const double at = std::chrono::duration<double>(clock.next()).count();
    squares += (at - last) * (at - last);
    last = at;
  }
  EXPECT_NEAR(last / count, 0.02, 0.0006);
  // The second moment of an exponential distribution is twice the square of its mean.
  EXPECT_NEAR(squares / count, 2 * 0.02 * 0.02, 0.00004);
}

TEST(BenchPrompt, HasTheLengthAndIsLikeNoOther) {
  std::set<std::string> prompts;
  for (std::uint64_t number = 0; number < 1000; ++number) prompts.insert(make_prompt(32, 5, number));
  EXPECT_EQ(prompts.size(), 1000u);
  for (const std::string& each : prompts) EXPECT_EQ(std::count(each.begin(), each.end(), ' '), 28) << each;
  EXPECT_EQ(make_prompt(200, 5, 3), make_prompt(200, 5, 3));
  EXPECT_NE(make_prompt(200, 5, 3), make_prompt(200, 6, 3));
}

TEST(SpendGuard, StopsBeforeTheCostIsAboveItsCap) {
  spend_guard guard({.max_cost_usd = 1, .prices = proxy::parse_prices("1/2")});
  const token_amount worst{.input = 200'000, .output = 100'000};  // the runs cost at most 0.4 USD
  EXPECT_TRUE(guard.reserve(worst));
  EXPECT_TRUE(guard.reserve(worst));
  EXPECT_FALSE(guard.reserve(worst)) << "two are running, a third would make 1.2";
  guard.settle(worst, token_amount{100'000, 50'000}, 1000);
  EXPECT_TRUE(guard.reserve(worst)) << "0.2 spent, 0.4 running";
  EXPECT_DOUBLE_EQ(*guard.cost_usd(), 0.2);
}

TEST(SpendGuard, CountsTheWorstWhereNothingWasTold) {
  spend_guard guard({.max_tokens = 1000});
  const token_amount worst{.input = 300, .output = 300};
  ASSERT_TRUE(guard.reserve(worst));
  guard.settle(worst, std::nullopt, 1000);
  EXPECT_EQ(guard.used(), worst);
  EXPECT_FALSE(guard.reserve(worst));
  EXPECT_FALSE(guard.cost_usd()) << "no price is known";
}

TEST(SpendGuard, ACapHoldsForAllEndpointsOfARun) {
  run_spending all;
  spend_guard cheap({.max_cost_usd = 1, .prices = proxy::parse_prices("1/1")}, {}, &all);
  spend_guard expensive({.max_cost_usd = 1, .prices = proxy::parse_prices("4.4/4.4")}, {}, &all);
  spend_guard unpriced({.max_cost_usd = 1, .max_tokens = 500'000}, {}, &all);
  const token_amount worst{.input = 100'000, .output = 100'000};
  ASSERT_TRUE(cheap.reserve(worst));       // 0.2 USD
  EXPECT_FALSE(expensive.reserve(worst)) << "0.88 more would be above 1";
  cheap.settle(worst, token_amount{100'000, 0}, 1000);
  EXPECT_TRUE(expensive.reserve(worst));
  EXPECT_FALSE(expensive.reserve(worst));
  EXPECT_TRUE(unpriced.reserve(worst)) << "tokens: 100,000 used, 400,000 running";
  EXPECT_FALSE(unpriced.reserve(worst));
  EXPECT_DOUBLE_EQ(*cheap.cost_usd(), 0.1);
  EXPECT_DOUBLE_EQ(*expensive.cost_usd(), 0);
}

TEST(SpendGuard, CachedInputHasItsOwnPriceAndARefusalNone) {
  auto prices = proxy::parse_prices("10/1/20");
  prices->periods.front().request = 5;  // the price of each request, in addition to the price of its tokens
  spend_guard guard({.prices = prices});
  const token_amount worst{.input = 200'000, .output = 0};
  ASSERT_TRUE(guard.reserve(worst));
  guard.settle(worst, token_amount{.input = 100'000, .cached_input = 50'000}, 1000);
  EXPECT_DOUBLE_EQ(*guard.cost_usd(), 5 + 0.5 + 0.05);
  ASSERT_TRUE(guard.reserve(worst));
  guard.settle(worst, token_amount{}, 1000);
  EXPECT_DOUBLE_EQ(*guard.cost_usd(), 5.55);
}

TEST(SpendGuard, LearnsAPromptsTokensFromTheEndpoint) {
  spend_guard guard(spend_limits{});
  EXPECT_EQ(guard.worst_input(1000), 564u);
  const token_amount worst{.input = 564, .output = 10};
  ASSERT_TRUE(guard.reserve(worst));
  guard.settle(worst, token_amount{200, 10}, 1000);
  EXPECT_EQ(guard.worst_input(1000), 250u);
  EXPECT_EQ(guard.worst_input(100'000), 25'000u) << "a longer prompt has more tokens than any that was counted";
}

}  // namespace
}  // namespace photofinish::gateway::bench
