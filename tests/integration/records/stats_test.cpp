// Waits until the statistics of the target contain the given number of first tokens, and returns these statistics.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/running_simulator.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdlib.h>
#include <thread>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class stats_test : public gateway_fixture {
 protected:
  json stats(std::string_view path = "/v1/providers/stats") { return json::parse(get(path).body); }

  // Returns the statistics of the given target, after they contain the given number of first tokens.
  json entry(const std::string& target, int count) {
    json found;
    comes_true([&] {
      const json page = stats();
      for (const json& each : page.at("targets"))
        if (each.at("target") == target) found = each;
      return !found.is_null() && found.at("ttft_seconds").at("count") == count;
    });
    return found;
  }

  static double seconds_between(test_clock::time_point from, test_clock::time_point to) {
    return milliseconds_between(from, to) / 1'000;
  }
  static double p50(const json& figures, const char* what) { return figures.at(what).at("p50").get<double>(); }
};

// The time that the gateway measures must lie between the simulator's time and the client's time, even if threads are delayed.
TEST_F(stats_test, AgreesWithWhatTheSimulatorDid) {
  tests::running_simulator simulator;
  settings.providers["sim"] = local_provider("sim", simulator.port());
  const std::string target = "sim/m;ttft=80ms;tps=400;tokens=81";  // the last token comes at least 200 ms after the first token
  add_route("r", {target});
  start();
  constexpr int requests = 5;
  double longest_ttft = 0, longest_decode = 0, shortest_decode = 1;  // seconds
  for (int count = 1; count <= requests; ++count) {
    test_client client = connect();
    const auto asked_at = test_clock::now();
    client.post(streamed("r"));
    const http_response got = client.read();
    const auto read_at = test_clock::now();
    const auto truth = simulator.record(static_cast<std::size_t>(count));
    longest_ttft = std::max(longest_ttft, seconds_between(asked_at, got.first_body_byte_at));
    longest_decode = std::max(longest_decode, seconds_between(*truth.first_token_at, read_at));
    shortest_decode = std::min(shortest_decode, seconds_between(got.first_body_byte_at, truth.received_at + 280ms));
  }
  const json seen = entry(target, requests);
  ASSERT_FALSE(seen.is_null());
  constexpr double sketch = 1.02;  // the statistics' quantiles have a relative error of at most 1 %
  EXPECT_GE(p50(seen, "ttft_seconds"), 0.080 / sketch);
  EXPECT_LE(p50(seen, "ttft_seconds"), longest_ttft * sketch);
  EXPECT_EQ(seen.at("tokens_per_second").at("count"), requests);
  EXPECT_GE(p50(seen, "tokens_per_second"), 80 / longest_decode / sketch);
  if (shortest_decode > 0) {
    EXPECT_LE(p50(seen, "tokens_per_second"), 80 / shortest_decode * sketch);
  }
  ASSERT_EQ(seen.at("by_input_tokens").size(), 1u);
  EXPECT_EQ(seen.at("by_input_tokens").at(0).at("from"), 0);
  ASSERT_EQ(seen.at("by_concurrency").size(), 1u);
  EXPECT_EQ(seen.at("by_concurrency").at(0).at("from"), 1);
}

TEST_F(stats_test, OwnConcurrencyIsWhatWasInFlightAtTheTarget) {
  std::atomic<int> asked = 0;
  scripted_provider provider([&](provider_call& call) {
    ++asked;
    if (call.wait_until([&] { return asked == 4; })) streams({"hi"})(call);
  });
  add("p", provider);
  add_route("r", {"p/m"});
  settings.server.workers = 2;
  start();
  {
    std::vector<std::jthread> clients;
    for (int index = 0; index < 4; ++index) clients.emplace_back([this] { post(streamed("r")); });
  }
  const json seen = entry("p/m", 4);
  ASSERT_FALSE(seen.is_null());
  std::vector<std::pair<int, int>> curve;
  for (const json& each : seen.at("by_concurrency"))
    curve.emplace_back(each.at("from").get<int>(), each.at("ttft_seconds").at("count").get<int>());
  EXPECT_EQ(curve, (std::vector<std::pair<int, int>>{{1, 1}, {2, 2}, {4, 1}}));
}

TEST_F(stats_test, InputSizeIsEstimatedFromThePrompt) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  post(R"({"model":"r","stream":true,"messages":[{"role":"user","content":")" + std::string(8'000, 'x') + R"("}]})");
  const json seen = entry("p/m", 1);
  ASSERT_FALSE(seen.is_null());
  EXPECT_EQ(seen.at("by_input_tokens").at(0).at("from"), 1024);
  EXPECT_EQ(seen.at("by_input_tokens").at(0).at("below"), 4096);
}

TEST_F(stats_test, ALoserThatWasCutOffRaisesItsQuantiles) {
  scripted_provider fast(streams({"hi"}, 60ms)), slow(stays_silent());
  add("fast", fast), add("slow", slow);
  add_route("r", {"fast/m", "slow/m"});
  start();
  for (int i = 0; i < 5; ++i) post(streamed("r"));
  entry("fast/m", 5);
  const json seen = entry("slow/m", 0);
  ASSERT_FALSE(seen.is_null());
  EXPECT_EQ(seen.at("ttft_seconds").at("censored"), 5);
  // The fast attempt gets its first token after 60 ms. The slow attempt may have begun up to 20 ms later, so it may have run for only 40
  // ms.
  EXPECT_GE(p50(seen, "ttft_seconds"), 0.040);
  EXPECT_EQ(seen.at("ttft_seconds").at("at_least"), json::array({"p50", "p95", "p99"}));
}

TEST_F(stats_test, NamesThatNoConfigurationHoldsBecomeOther) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider).models = {"*"};
  start();
  for (int name = 0; name < 5; ++name) post(streamed("p/made-up-" + std::to_string(name)));
  EXPECT_FALSE(entry("p/_other", 5).is_null());
  EXPECT_EQ(get("/v1/providers/stats").body.find("made-up"), std::string::npos);
}

TEST_F(stats_test, IsOpenToWhomTheModelsAreOpen) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider), add("q", provider);
  add_route("mine", {"p/m"}), add_route("theirs", {"q/m"});
  settings.access.keys = {{"all", proxy::secret("k-all"), {}}, {"one", proxy::secret("k-one"), {"mine"}}};
  start();
  post(streamed("mine"), "authorization: Bearer k-all\r\n");
  post(streamed("theirs"), "authorization: Bearer k-all\r\n");
  EXPECT_EQ(get("/v1/providers/stats").status, 401);
  const auto targets = [this](const char* key) {
    return json::parse(get("/providers/stats", "authorization: Bearer " + std::string(key) + "\r\n").body).at("targets");
  };
  EXPECT_TRUE(comes_true([&] { return targets("k-all").size() == 2; }));
  ASSERT_EQ(targets("k-one").size(), 1u);
  EXPECT_EQ(targets("k-one").at(0).at("target"), "p/m");
}

TEST_F(stats_test, OutlivesARestart) {
  std::string pattern = std::filesystem::temp_directory_path() / "photofinish_state_XXXXXX";
  keeping.state_dir = ::mkdtemp(pattern.data());
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  for (int i = 0; i < 3; ++i) post(streamed("r"));
  gateway.reset();
  start();
  EXPECT_FALSE(entry("p/m", 3).is_null());
  gateway.reset();
  std::filesystem::remove_all(keeping.state_dir);
}

TEST_F(stats_test, SayWhetherTheirFolderCanBeWritten) {
  const captured_log log;
  std::string pattern = std::filesystem::temp_directory_path() / "photofinish_state_XXXXXX";
  keeping.state_dir = ::mkdtemp(pattern.data());
  keeping.tick = keeping.save_every = std::chrono::milliseconds(10);
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  expect_metric(1, "photofinish_state_folder_writable");
  std::filesystem::remove_all(keeping.state_dir);
  post(streamed("r"));
  expect_metric(0, "photofinish_state_folder_writable");
  EXPECT_FALSE(log.lines_with({"cannot be kept in", keeping.state_dir}).empty());
  std::filesystem::create_directory(keeping.state_dir);
  expect_metric(1, "photofinish_state_folder_writable");
  EXPECT_FALSE(log.lines_with({"are saved again in", keeping.state_dir}).empty());
  gateway.reset();
  std::filesystem::remove_all(keeping.state_dir);
}

}  // namespace
}  // namespace photofinish::testing
