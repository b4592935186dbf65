// Tests what happens when a soft budget is spent: the webhook and the log report this once, and the gateway still serves requests.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class soft_budgets_test : public gateway_fixture {
 protected:
  soft_budgets_test() {
    add("a", provider);
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    settings.access.teams["search"].soft_budget_nano_usd = 3'000'000'000;
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}};
    settings.access.keys[0].team = "search";
    settings.alerts.webhook = proxy::secret("http://127.0.0.1:" + std::to_string(hook.port()) + "/hook");
    keeping.tick = 10ms;
  }
  int ask() { return post(streamed("fast"), "Authorization: Bearer key-a\r\n").status; }
  std::vector<json> alerts() const {
    std::vector<json> all;
    for (const received_request& each : hook.requests()) {
      const json posted = json::parse(each.body);
      for (const json& one : posted.at("alerts")) all.push_back(one);
    }
    return all;
  }

  scripted_provider hook{[](provider_call& call) { call.answer(200, "{}"); }};
  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(1, 2));  // two dollars
    call.event("[DONE]");
  }};
};

TEST_F(soft_budgets_test, AreToldOnceAndRefuseNothing) {
  captured_log log;
  start();
  ASSERT_EQ(ask(), 200);
  EXPECT_TRUE(alerts().empty());
  for (int each = 0; each < 3; ++each) ASSERT_EQ(ask(), 200);
  ASSERT_TRUE(comes_true([&] { return !alerts().empty(); }));
  const json alert = alerts().at(0);
  EXPECT_EQ(alert.at("status"), "firing");
  EXPECT_EQ(alert.at("labels").at("alertname"), "PhotofinishSoftBudget");
  EXPECT_EQ(alert.at("labels").at("scope"), "team");
  EXPECT_EQ(alert.at("labels").at("name"), "search");
  EXPECT_TRUE(log.logs_once({"team search has spent $", "soft_budget of $3.00"}));
  settings.access.teams["search"].soft_budget_nano_usd = 1'000'000'000'000;
  gateway->reload(settings);
  ASSERT_TRUE(comes_true([&] { return alerts().back().at("status") == "resolved"; }));
  EXPECT_EQ(alerts().size(), 2u) << "one beginning, one end";
}

}  // namespace
}  // namespace photofinish::testing
