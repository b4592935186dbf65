// Tests probes end to end: their requests, their costs, and the cases in which the gateway sends no probe.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

std::vector<std::string> many_words() { return std::vector<std::string>(24, " word"); }

scripted_provider::script answers(std::string usage = usage_chunk(120, 24)) {
  return [usage](provider_call& call) {
    call.stream_head();
    call.event(role_chunk());
    for (const std::string& word : many_words()) {
      call.event(token_chunk(word));
      call.wait(4ms);
    }
    call.event(finish_chunk());
    call.event(usage);
    call.end();
  };
}

class Probes : public gateway_fixture {
 protected:
  Probes() : provider_(answers()) {
    keeping.tick = 20ms;
    add("p", provider_).prices["m"] = proxy::parse_prices("1/2").value();
    add_route("r", {"p/m"});
    settings.probes.emplace();
    settings.probes->every = 200ms;
    settings.probes->input_tokens = {100};
    settings.probes->max_output = 40;
  }

  double answered() { return metric("photofinish_probes_total", {R"(outcome="answered")"}); }

  scripted_provider provider_;
};

TEST_F(Probes, AnIdleTargetIsAskedAgainAndAgainByUniquePromptsAndMeasured) {
  start();
  ASSERT_TRUE(comes_true([this] { return answered() >= 3; }));
  std::set<std::string> prompts;
  for (std::size_t at = 0; at < 3; ++at) {
    const json body = json::parse(provider_.request(at).body);
    EXPECT_EQ(body["max_completion_tokens"], 40);
    EXPECT_EQ(body["stream"], true);
    prompts.insert(body["messages"][0]["content"].get<std::string>());
  }
  EXPECT_EQ(prompts.size(), 3u);
  const auto stats = [this] { return json::parse(get("/v1/providers/stats").body)["targets"]; };
  ASSERT_TRUE(comes_true([&] { return !stats().empty(); }));
  EXPECT_EQ(stats()[0]["target"], "p/m");
  EXPECT_GT(stats()[0]["ttft_seconds"]["count"], 0);
  EXPECT_GT(stats()[0]["tokens_per_second"]["count"], 0);
  EXPECT_EQ(stats()[0]["by_input_tokens"][0]["from"], 64);
}

TEST_F(Probes, TheyAreNoClientsRequestsInMetrics) {
  start();
  ASSERT_TRUE(comes_true([this] { return answered() >= 1; }));
  EXPECT_EQ(metric("photofinish_requests_total"), 0);
  EXPECT_EQ(metric("photofinish_attempts_total"), 0);
  EXPECT_EQ(metric("photofinish_cost_usd_total"), 0);
  const double each = 120e-6 + 48e-6;
  EXPECT_NEAR(metric("photofinish_probe_cost_usd_total"), each * answered(), 2 * each);
  EXPECT_GT(metric("photofinish_probe_spend_usd"), 0);
  EXPECT_EQ(metric("photofinish_probe_budget_usd"), 0.5);
}

TEST_F(Probes, WithoutTheSettingNoneIsSent) {
  settings.probes.reset();
  start();
  std::this_thread::sleep_for(500ms);
  EXPECT_TRUE(provider_.requests().empty());
  EXPECT_EQ(metric("photofinish_probe_budget_usd"), 0);
}

// The provider reports a billion tokens for a probe. These tokens would cost $3,000, but the daily budget is $0.50.
TEST_F(Probes, UsageThatCannotBeIsNotPaidFor) {
  scripted_provider liar([](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hello"));
    call.event(finish_chunk());
    call.event(usage_chunk(1'000'000'000, 1'000'000'000));
    call.end();
  });
  add("l", liar).prices["m"] = proxy::parse_prices("1/2").value();
  add_route("s", {"l/m"});
  start();
  const auto cost = [this] { return metric("photofinish_probe_cost_usd_total", {R"(provider="l")"}); };
  ASSERT_TRUE(comes_true([&] { return cost() > 0; }));
  EXPECT_LT(cost(), 1);
}

TEST_F(Probes, TheDaysMoneyHoldsAcrossARestart) {
  keeping.state_dir = ::testing::TempDir() + "probes_" + std::to_string(::getpid());
  std::filesystem::remove_all(keeping.state_dir);
  // Each probe reserves 1.1 * (100 + 2 * 40) = 198 millionths of a dollar, but costs only 168 millionths. After two probes, 336 of the 400
  // millionths are spent, which is too much for a third probe.
  settings.probes->max_nano_usd_a_day = 400'000;
  start();
  ASSERT_TRUE(comes_true([this] { return answered() >= 2; }));
  std::this_thread::sleep_for(600ms);
  EXPECT_EQ(provider_.requests().size(), 2u);
  gateway.reset();
  start();
  std::this_thread::sleep_for(600ms);
  EXPECT_EQ(provider_.requests().size(), 2u) << "a restart is no new day";
  EXPECT_NEAR(metric("photofinish_probe_spend_usd"), 336e-6, 1e-9);
  std::filesystem::remove_all(keeping.state_dir);
}

TEST_F(Probes, AnAnswerThatReportsAnImpossibleUseEndsTheDaysMoney) {
  scripted_provider liar(answers(R"({"object":"chat.completion.chunk","choices":[],)"
                                 R"("usage":{"prompt_tokens":120,"completion_tokens":9000000000000000000}})"));
  add("liar", liar).prices["m"] = proxy::parse_prices("1/20").value();
  add_route("other", {"liar/m"});
  settings.routes.erase("r");
  start();
  ASSERT_TRUE(comes_true([this] { return answered() >= 1; }));
  EXPECT_GT(metric("photofinish_probe_spend_usd"), 0.5);
}

// A client sends requests to one target all the time. Therefore each interval between probes has more samples than the gateway needs.
TEST_F(Probes, ATargetThatClientsAskIsLeftAlone) {
  scripted_provider quick(streams({"hi"}));
  add("quick", quick).prices["m"] = proxy::parse_prices("1/2").value();
  add_route("asked", {"quick/m"});
  settings.probes->every = 1500ms;
  start();
  std::size_t sent = 0;
  std::vector<test_clock::time_point> times{test_clock::now()};
  auto longest = test_clock::duration::zero();
  for (; answered() < 3 || sent < 10; ++sent) {
    ASSERT_EQ(post(streamed("asked")).status, 200);
    times.push_back(test_clock::now());
    if (times.size() > 6) longest = std::max(longest, times.back() - times[times.size() - 7]);
  }
  if (longest > 1s) GTEST_SKIP() << "six answers took longer than a period of probes allows";
  EXPECT_LE(quick.requests().size(), sent + 1) << "one may have been sent before the fifth sample";
}

TEST_F(Probes, WhileAClientIsAnsweredThereNoneIsSent) {
  std::atomic<bool> may_answer = false;
  scripted_provider busy(in_turn({streams_when([&] { return may_answer.load(); }, {"hi"}), answers()}));
  settings.providers.clear();
  settings.routes.clear();
  add("q", busy).prices["m"] = proxy::parse_prices("1/2").value();
  add_route("s", {"q/m"});
  const auto wanted = settings.probes;
  settings.probes.reset();
  start();
  test_client client = connect();
  client.post(streamed("s"));
  busy.request(0);
  settings.probes = wanted;
  gateway->reload(settings);
  std::this_thread::sleep_for(700ms);
  EXPECT_EQ(busy.requests().size(), 1u);
  may_answer = true;
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(comes_true([&] { return busy.requests().size() > 1; }));
}

TEST_F(Probes, AProviderThatHangsHoldsUpNeitherTheOthersNorTheEnd) {
  scripted_provider silent(stays_silent());
  add("q", silent).prices["m"] = proxy::parse_prices("1/2").value();
  add_route("s", {"q/m"});
  start();
  ASSERT_TRUE(comes_true([&] { return !silent.requests().empty(); }));
  EXPECT_EQ(post(streamed("r")).status, 200);
  const auto from = test_clock::now();
  gateway.reset();
  EXPECT_LT(milliseconds_between(from, test_clock::now()), 5'000 * slowness);
}

TEST_F(Probes, AReloadEndsThemAndBeginsThem) {
  const auto wanted = settings.probes;
  settings.probes.reset();
  start();
  settings.probes = wanted;
  gateway->reload(settings);
  ASSERT_TRUE(comes_true([this] { return answered() >= 1; }));
  settings.probes.reset();
  gateway->reload(settings);
  ASSERT_TRUE(comes_true([this] { return metric("photofinish_probe_budget_usd") == 0; }));
  std::this_thread::sleep_for(300ms);
  const std::size_t before = provider_.requests().size();
  std::this_thread::sleep_for(700ms);
  EXPECT_EQ(provider_.requests().size(), before);
}

TEST_F(Probes, AFailureIsCountedAndCostsNothing) {
  scripted_provider bad(refuses(401, R"({"error":{"message":"no"}})"));
  settings.providers.clear();
  settings.routes.clear();
  add("q", bad).prices["m"] = proxy::parse_prices("1/2").value();
  add_route("s", {"q/m"});
  start();
  ASSERT_TRUE(comes_true([this] { return metric("photofinish_probes_total", {R"(outcome="failed")"}) >= 1; }));
  EXPECT_EQ(metric("photofinish_probe_cost_usd_total"), 0);
}

}  // namespace
}  // namespace photofinish::testing
