// Tests comparisons of several endpoints in one run. The endpoints are simulated providers with known figures, each on its own thread.
#include "gateway/bench/scorecard/comparison_run.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using tests::running_simulator;
using namespace std::chrono_literals;

compared_endpoint at(const running_simulator& provider, std::string model, const std::string& key = "") {
  auto found = find_endpoint("http://127.0.0.1:" + std::to_string(provider.port()), key,
                             tests::table_environment{}.machine());
  return {std::get<endpoint>(std::move(found)), std::move(model), {}};
}

std::unique_ptr<comparison_run> whole_run(std::vector<compared_endpoint> endpoints, const bench_options& options,
                                          const std::vector<std::size_t>& sizes = {32}) {
  comparison_result planned = make_comparison(options, sizes, endpoints.size(), 1);
  for (const std::string& problem : planned.problems) ADD_FAILURE() << problem;
  auto run = std::make_unique<comparison_run>(
      comparison_setup{std::move(planned.plan), std::move(endpoints), {}, "test"});
  ::testing::internal::CaptureStderr();
  run->run();
  ::testing::internal::GetCapturedStderr();
  return run;
}

std::unique_ptr<comparison_run> measured(std::vector<compared_endpoint> endpoints, const bench_options& options,
                                         const std::vector<std::size_t>& sizes = {32}) {
  auto run = whole_run(std::move(endpoints), options, sizes);
  for (const std::string& problem : run->problems()) ADD_FAILURE() << problem;
  return run;
}

TEST(Comparison, EachEndpointGetsItsRequestsAtEachSize) {
  running_simulator one, other;
  const auto run = measured({at(one, "m"), at(other, "n")}, {.requests = 6}, {32, 64});
  const scorecard& card = run->card();
  ASSERT_EQ(card.cells.size(), 4u);
  for (const card_cell& each : card.cells) EXPECT_EQ(each.report.succeeded, 6u);
  EXPECT_EQ(card.rounds, 6u);
  EXPECT_EQ(card.end, level_end::complete);
  EXPECT_GT(card.find(0, 1)->report.find("input_sequence_length")->avg,
            card.find(0, 0)->report.find("input_sequence_length")->avg * 1.5);
  EXPECT_EQ(one.ledger().requests(), other.ledger().requests());
}

TEST(Comparison, TheFasterOneIsFoundHoweverTheyAreInterleaved) {
  running_simulator provider;  // both models are at one provider, so that the noise of the machine affects both models
  const auto run = measured({at(provider, "m;ttft=300ms;tokens=20"), at(provider, "m;ttft=20ms;tokens=20")},
                            {.requests = 6});
  const finding& ttft = run->card().findings.front();
  EXPECT_EQ(ttft.best, 1u);
  ASSERT_EQ(ttft.behind.size(), 1u) << words_of(ttft);
  EXPECT_EQ(ttft.behind[0].endpoint, 0u);
}

TEST(Comparison, NoPromptIsSentTwice) {
  running_simulator provider;
  const auto run = measured({at(provider, "m"), at(provider, "m")}, {.requests = 6});
  EXPECT_GT(run->card().endpoints[0].used.input, 0u);
  const auto& cells = run->cells();
  EXPECT_EQ(cells[0].records.size(), 6u);
  EXPECT_EQ(cells[1].records.size(), 6u);
  EXPECT_NE(cells[0].records[0].number, cells[0].records[1].number);
}

TEST(Comparison, ACapHoldsForTheWholeRun) {
  running_simulator one, other;
  compared_endpoint cheap = at(one, "m"), expensive = at(other, "n");
  cheap.prices = proxy::parse_prices("1/1");
  expensive.prices = proxy::parse_prices("20/20");
  const auto run = measured({cheap, expensive}, {.requests = 1000, .max_tokens = 8, .spending = {.max_cost = 0.05}});
  const scorecard& card = run->card();
  EXPECT_EQ(card.end, level_end::spend_cap);
  const double spent = *card.endpoints[0].cost_usd + *card.endpoints[1].cost_usd;
  EXPECT_LE(spent, 0.05);
  EXPECT_GT(spent, 0.045);
  EXPECT_LT(card.rounds, 1000u);
}

TEST(Comparison, ACapOnCostNeedsThePriceOfEachEndpoint) {
  running_simulator provider;
  const auto run = whole_run({at(provider, "m")}, {.requests = 5, .spending = {.max_cost = 1}});
  ASSERT_EQ(run->problems().size(), 1u);
  EXPECT_EQ(run->problems()[0].find("A: --max-cost: the price of m is unknown"), 0u) << run->problems()[0];
  EXPECT_EQ(provider.ledger().requests(), 1u) << "nothing but the list of models was asked for";
}

TEST(Comparison, WhatIsWrongWithAnyEndpointIsSaidBeforeTheLoad) {
  auto guarded = running_simulator::instant_answers();
  guarded.required_key = "another";
  running_simulator good, closed(guarded);
  const auto run = whole_run({at(good, "m"), at(closed, "m", "sk-very-secret-key")}, {.requests = 5});
  ASSERT_EQ(run->problems().size(), 1u);
  EXPECT_EQ(run->problems()[0].find("B: "), 0u) << run->problems()[0];
  EXPECT_NE(run->problems()[0].find("refuses the key (HTTP 401)"), std::string::npos) << run->problems()[0];
  EXPECT_EQ(run->problems()[0].find("sk-very"), std::string::npos) << run->problems()[0];
  EXPECT_EQ(good.ledger().requests(), 2u) << "the list of models, and one that was tried";
}

TEST(Comparison, CtrlCEndsWithWhatHasBeenMeasured) {
  running_simulator provider;
  std::thread user([&provider] {
    while (provider.ledger().requests() < 30) std::this_thread::sleep_for(1ms);
    ::kill(::getpid(), SIGINT);
  });
  const auto run = measured({at(provider, "m"), at(provider, "m;ttft=5ms")}, {.requests = 100'000});
  user.join();
  EXPECT_EQ(run->card().end, level_end::interrupted);
  EXPECT_EQ(run->interrupted_by(), SIGINT);
  EXPECT_GT(run->card().find(0, 0)->report.succeeded, 5u);
}

}  // namespace
}  // namespace photofinish::gateway::bench
