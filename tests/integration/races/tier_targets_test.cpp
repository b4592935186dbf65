// Tests targets with a service tier, requests for a tier, and targets without a price.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <set>
#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

std::string tier_in(const received_request& request) { return json::parse(request.body).value("service_tier", "none"); }

class tier_targets_test : public conversation_fixture {
 protected:
  tier_targets_test() {
    proxy::provider& provider = add("a", a_);
    provider.behaves.tiers = proxy::tier_form::openai;
    provider.behaves.billing = proxy::cancel_billing::full;
    provider.prices = {{"m", *proxy::parse_prices("1/10")},
                       {"m@priority", *proxy::parse_prices("2/20")},
                       {"m@flex", *proxy::parse_prices("0.5/5")}};
    add_route("raced", {"a/m@priority", "a/m@flex"});
    add_route("plain", {"a/m"});
  }

  // A provider that answers only the attempt with the winning tier. It reports the tier `served_`.
  void play(provider_call& call) {
    if (tier_in(call.request()) != winning_) return call.hang();
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    std::string usage = usage_chunk(1000, 100);
    if (!served_.empty()) usage.insert(usage.rfind('}'), R"(,"service_tier":")" + served_ + "\"");
    call.event(usage);
    call.end();
  }
  std::set<std::string> tiers_sent() const {
    std::set<std::string> all;
    for (const received_request& each : a_.requests()) all.insert(tier_in(each));
    return all;
  }

  std::string winning_ = "priority", served_;
  scripted_provider a_{[this](provider_call& call) { play(call); }};
};

TEST_F(tier_targets_test, TwoTiersOfOneModelRace) {
  const http_response got = chat({{"model", "raced"}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "a/m@priority");
  EXPECT_EQ(tiers_sent(), (std::set<std::string>{"priority", "flex"}));
  for (const received_request& each : a_.requests()) EXPECT_EQ(json::parse(each.body).at("model"), "m") << each.body;
  EXPECT_EQ(got.field_or("x-race-cost-usd", ""), "0.005") << "0.004 for the winner, 0.001 for the loser";
  expect_metric(1, "photofinish_attempts_total", {R"(model="m@priority")", R"(outcome="won")"});
  expect_metric(1, "photofinish_attempts_total", {R"(model="m@flex")", R"(outcome="lost")"});
  EXPECT_NEAR(metric("photofinish_cost_usd_total", {R"(model="m@priority")", R"(kind="winner")"}), 0.004, 1e-9);
}

TEST_F(tier_targets_test, TheServedTierIsPaid) {
  served_ = "default";
  EXPECT_EQ(chat({{"model", "a/m@priority"}}).field_or("x-race-cost-usd", ""), "0.002");
}

TEST_F(tier_targets_test, ATargetsTierOverridesTheClients) {
  EXPECT_EQ(chat({{"model", "a/m@priority"}, {"service_tier", "flex"}}).status, 200);
  EXPECT_EQ(tiers_sent(), std::set<std::string>{"priority"});
}

TEST_F(tier_targets_test, TheTierThatAClientAsksForIsPaid) {
  winning_ = "flex";
  EXPECT_EQ(chat({{"model", "plain"}, {"service_tier", "flex"}}).field_or("x-race-cost-usd", ""), "0.001");
}

TEST_F(tier_targets_test, ATierThatAProviderLacksIsNamed) {
  settings.providers.at("a").behaves.tiers = proxy::tier_form::none;
  winning_ = "none";
  const http_response got = chat({{"model", "plain"}, {"service_tier", "flex"}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-dropped", ""), "a/m;param=service_tier");
  EXPECT_EQ(got.field_or("x-race-cost-usd", ""), "0.002");
}

TEST_F(tier_targets_test, ATargetWithoutAPriceDoesNotRun) {
  settings.access.unpriced = gateway::unpriced_use::refuse;
  settings.providers.at("a").prices = {{"m", *proxy::parse_prices("1/10")}};
  add_route("mixed", {"a/m@priority", "a/unknown"});
  const http_response got = chat({{"model", "mixed"}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "a/unknown;reason=unpriced:standard");
  expect_metric(1, "photofinish_attempts_total", {R"(model="unknown")", R"(reason="unpriced")"});
}

TEST_F(tier_targets_test, WithoutAPricedTargetNothingIsAsked) {
  settings.routes.at("plain").limits.unpriced = gateway::unpriced_use::refuse;
  settings.providers.at("a").prices = {{"m@flex", *proxy::parse_prices("1/10")}};
  const http_response got = chat({{"model", "plain"}});
  EXPECT_EQ(got.status, 400);
  const json error = json::parse(got.body).at("error");
  EXPECT_EQ(error.at("code"), "price_unknown");
  EXPECT_NE(error.at("message").get<std::string>().find("'a/m' (tier standard); add to providers.a.prices a row 'm'"),
            std::string::npos) << got.body;
  EXPECT_TRUE(a_.requests().empty());
  winning_ = "flex";
  EXPECT_EQ(chat({{"model", "plain"}, {"service_tier", "flex"}}).status, 200);
}

TEST_F(tier_targets_test, ANameWithAMarkStaysAName) {
  settings.providers.at("a").behaves.tiers = proxy::tier_form::none;
  winning_ = "none";
  EXPECT_EQ(chat({{"model", "a/m@priority"}}).status, 200);
  EXPECT_EQ(json::parse(a_.request().body).at("model"), "m@priority");
}

}  // namespace
}  // namespace photofinish::testing
