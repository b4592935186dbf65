// Tests several gateways that share the measured speeds of targets through a real redis-server.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/redis_program.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class shared_speeds_test : public gateway_fixture {
 protected:
  shared_speeds_test() {
    for (auto* each : {&add("a", slow), &add("b", fast)}) each->behaves.billing = proxy::cancel_billing::stops;
    add_route("r", {"a/m", "b/m"}, racing::race_policy::adaptive);
    add_route("steady", {"b/m"});
    add_route("slow", {"a/m"});
    settings.server.workers = 1;
    // A tick lasts 20 ms in this test. Therefore 15 ticks, which stand for a quarter of a minute, last 300 ms.
    keeping.tick = 20ms;
  }
  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    store = std::make_unique<redis_program>();
    settings.store.url = proxy::secret(store->url());
    settings.store.timeout = 2000ms;
    start();
  }
  // Swaps the two gateways, so that the next request goes to the gateway that did not get the last request.
  void change_over() { std::swap(gateway, other); }
  void start_other() { other = std::make_unique<running_gateway>(settings, keeping, speaks); }
  bool knows_both() {
    return comes_true([this] { return metric("photofinish_replicas") == 2; });
  }
  int seen(const std::string& target) {
    const auto page = nlohmann::json::parse(get("/v1/providers/stats").body);
    for (const auto& each : page.at("targets"))
      if (each.at("target") == target) return each.at("ttft_seconds").at("count").get<int>();
    return 0;
  }

  scripted_provider slow{streams({"slow"}, 250ms)}, fast{streams({"fast"})};
  std::unique_ptr<redis_program> store;
  std::unique_ptr<running_gateway> other;
};

TEST_F(shared_speeds_test, FiguresOfAllAreShownByEachAndAddUpExactly) {
  start_other();
  ASSERT_TRUE(knows_both());
  for (int each = 0; each < 30; ++each) {
    ASSERT_EQ(post(streamed("steady")).status, 200);
    if (each % 3 == 0) change_over();
  }
  for (int each = 0; each < 2; ++each, change_over())
    EXPECT_TRUE(comes_true([this] { return seen("b/m") == 30; })) << seen("b/m");
  // The gateways read the data of each quarter of a minute twice. The second read must not add the same samples again.
  const double calls = metric("photofinish_store_call_seconds_count");
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_store_call_seconds_count") > calls + 100; }));
  EXPECT_EQ(seen("b/m"), 30);
}

TEST_F(shared_speeds_test, AFreshGatewaysForecastHasWhatAnotherHasMeasured) {
  for (int each = 0; each < 8; ++each)
    for (const char* route : {"steady", "slow"}) ASSERT_EQ(post(streamed(route)).status, 200);
  start_other();
  change_over();
  // Waits until the gateway has read the speeds of the last half hour from the store. At each tick, it reads the speeds of two quarters of
  // a minute.
  ASSERT_TRUE(comes_true([&] { return metric("photofinish_store_call_seconds_count") > 300; }));
  const http_response first = post(streamed("r"));
  const std::string path = "/v1/races/" + first.field_or("x-race-id", "none");
  http_response receipt;
  ASSERT_TRUE(comes_true([&] { return (receipt = get(path)).status == 200; }));
  const auto page = nlohmann::json::parse(receipt.body);
  for (const auto& each : page.at("candidates")) {
    const bool is_slow = each.at("target") == "a/m";
    EXPECT_GE(each.at("samples").get<int>(), 4) << receipt.body;
    EXPECT_EQ(each.at("ttft_seconds").at("p50").get<double>() > 0.15, is_slow) << receipt.body;
  }
}

TEST_F(shared_speeds_test, GarbageIsCountedAndHarmsNothing) {
  start_other();
  ASSERT_TRUE(knows_both());
  EXPECT_TRUE(comes_true([this] {  // repeats the write until the gateway has read the invalid entry
    const auto quarter = std::chrono::system_clock::now().time_since_epoch() / 300ms;
    for (auto each = quarter - 1; each <= quarter + 1; ++each)
      store->ask({"HSET", "pf:stats:" + std::to_string(each), "liar", "no figures"});
    return metric("photofinish_store_errors_total", {R"(reason="protocol")"}) > 0;
  }));
  EXPECT_EQ(metric("photofinish_store_up"), 1);
  ASSERT_EQ(post(streamed("steady")).status, 200);
  change_over();
  EXPECT_TRUE(comes_true([this] { return seen("b/m") == 1; }));
}

}  // namespace
}  // namespace photofinish::testing
