// Tests the page with the gateway's advice on routes, and the table with this advice that `photofinish advise` prints.
#include "gateway/advice/advice_page.hpp"
#include "gateway/advice/advised_routes.hpp"
#include "gateway/commands/advise.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <sstream>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const racing::wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

config two_targets() {
  config settings;
  settings.providers["groq"] = {};
  route each{.name = "fast", .targets = {{"groq", "one"}, {"groq", "two"}}, .race = {}};
  each.race.policy = racing::race_policy::hedge;
  settings.routes["fast"] = each;
  settings.routes["alone"] = {.name = "alone", .targets = {{"groq", "one"}}, .race = {}};
  settings.route_order = {"alone", "fast"};
  return settings;
}

racing::advised_figures figures(double p50, bool is_bound = false) {
  racing::advised_figures made;
  for (std::size_t at = 0; at < made.size(); ++at) {
    made[at].seconds = p50 * static_cast<double>(at + 1);
    made[at].low = made[at].seconds;
    made[at].high = at == 1 ? 2 * made[at].seconds : made[at].seconds;
  }
  if (is_bound) made[2].is_bound = true, made[2].high.reset();
  return made;
}

advice_report report() {
  racing::route_advice route;
  route.name = "fast";
  route.requests = 1'234;
  route.first_minute = racing::minute_of(noon);
  route.present.answered = 1'200;
  route.present.first_token[0] = racing::survival_quantile{0.4123, racing::bound::exact};
  route.present.attempts = 1.2;
  route.present.extra_cost = 0.081;
  route.targets = {{"groq/one", 900, 10, true}, {"groq/two", 3, 100, false}};
  route.has_common_vendor = true;
  racing::advised_policy all;
  all.policy = racing::race_policy::all;
  all.first_token = figures(0.3, true);
  all.finish = figures(1.3);
  all.attempts = 2;
  all.extra_cost = 0.6257;
  racing::advised_policy hedge = all;
  hedge.policy = racing::race_policy::hedge;
  hedge.hedge_delay = 300ms;
  hedge.finish.reset();
  hedge.extra_cost.reset();
  route.policies = {hedge, all};
  return {noon, {route}};
}

TEST(AdvicePage, SaysHowSureItIs) {
  const json page = json::parse(advice_page(report(), two_targets()));
  EXPECT_EQ(page.at("object"), "advice");
  EXPECT_EQ(page.at("as_of"), 1'769'860'800);
  EXPECT_EQ(page.at("window_seconds"), 259'200);
  const json& route = page.at("routes").at(0);
  EXPECT_EQ(route.at("requests"), 1'234);
  EXPECT_EQ(route.at("currency"), "tokens");
  EXPECT_EQ(route.at("present").at("policy"), "hedge");
  EXPECT_EQ(route.at("present").at("hedge_delay_ms"), 300);
  EXPECT_EQ(route.at("present").at("ttft_seconds").at("p50"), 0.412);
  EXPECT_EQ(route.at("present").at("extra_cost"), 0.081);
  const json& all = route.at("policies").at(1);
  EXPECT_EQ(all.at("ttft_seconds").at("p95"), 0.6);
  EXPECT_EQ(all.at("ttft_seconds").at("high").at("p95"), 1.2);
  EXPECT_EQ(all.at("ttft_seconds").at("at_least"), json::array({"p99"}));
  EXPECT_TRUE(all.at("ttft_seconds").at("high").at("p99").is_null());
  EXPECT_EQ(all.at("extra_cost"), 0.626);
  EXPECT_TRUE(route.at("policies").at(0).at("finish_seconds").is_null());
  ASSERT_EQ(route.at("notes").size(), 2u);
  EXPECT_EQ(route.at("notes").at(0).at("code"), "unknown_targets");
  EXPECT_NE(route.at("notes").at(0).at("message").get<std::string>().find("groq/two"), std::string::npos);
  EXPECT_EQ(route.at("notes").at(1).at("code"), "common_vendor");
}

// Returns sample figures about prompts. 94 of 100 requests continue a conversation. 60 prompts were cached and cost $0.03 each. All other
// prompts cost $0.26 each.
racing::prompt_use conversations() {
  using enum racing::prompt_cause;
  racing::prompt_use made;
  made[found] = {60, 60, 1'800'000'000};
  made[first] = {6, 0, 1'560'000'000};
  made[missed] = {15, 15, 3'900'000'000};
  made[expired] = {19, 19, 4'940'000'000};
  return made;
}

TEST(AdvicePage, SaysWhatConversationsCostAndWhy) {
  advice_report of_agents = report();
  EXPECT_TRUE(json::parse(advice_page(of_agents, two_targets())).at("routes").at(0).at("conversations").is_null());
  of_agents.routes[0].conversations = conversations();
  of_agents.routes[0].policies[0].attempts = 1.96;
  const json route = json::parse(advice_page(of_agents, two_targets())).at("routes").at(0);
  const json& all = route.at("conversations");
  EXPECT_EQ(all.at("requests"), 100);
  EXPECT_EQ(all.at("continued"), 94);
  EXPECT_EQ(all.at("cost_usd"), 12.2);
  EXPECT_EQ(all.at("causes").at("expired"), json({{"requests", 19}, {"cost_usd", 4.94}}));
  EXPECT_FALSE(all.at("causes").contains("moved"));
  ASSERT_EQ(route.at("notes").size(), 4u);
  EXPECT_EQ(route.at("notes").at(2).at("message"),
            "94 % of 100 requests continue a conversation. Policy hedge 300 ms would also have sent 96 % of these requests to "
            "targets that do not have the prompt in their cache; a request costs $0.26 if the prompt is not cached, but $0.03 if it is");
  EXPECT_EQ(route.at("notes").at(3).at("code"), "cache_misses");
  EXPECT_EQ(route.at("notes").at(3).at("message").get<std::string>().find("20 % of the prompts"), 0u);
}

TEST(AdvicePage, WithoutPricesConversationsAreCountedAlone) {
  advice_report of_agents = report();
  of_agents.routes[0].conversations[racing::prompt_cause::found] = {30, 27, 0};
  const json route = json::parse(advice_page(of_agents, two_targets())).at("routes").at(0);
  ASSERT_EQ(route.at("notes").size(), 3u);
  EXPECT_EQ(route.at("notes").at(2).at("message"), "90 % of 30 requests continue a conversation");
}

TEST(AdvicePage, FiguresOverSeveralGatewaysAreCalledEstimates) {
  advice_report over_two = report();
  over_two.scope.members = {{"one", true, true}, {"two", true, true}};
  const json page = json::parse(advice_page(over_two, two_targets()));
  EXPECT_TRUE(page.at("gateway").is_null());
  EXPECT_EQ(page.at("gateways").size(), 2u);
  EXPECT_EQ(page.at("note").get<std::string>().find("these estimates cover all gateways"), 0u);
  over_two.scope = {.gateway = "one", .members = {{"one", true, true}, {"two", true, false}}, .note = "alone"};
  const json narrowed = json::parse(advice_page(over_two, two_targets()));
  EXPECT_EQ(narrowed.at("gateway"), "one");
  EXPECT_EQ(narrowed.at("note"), "alone");
}

TEST(AdvicePage, ARouteWithRulesSaysThatTheirRequestsAreNotInIt) {
  config settings = two_targets();
  settings.routes.at("fast").rules.emplace_back();
  const json page = json::parse(advice_page(report(), settings));
  EXPECT_EQ(page.at("routes").at(0).at("notes").at(0).at("code"), "rules");
}

TEST(AdvicePage, RoutesOfOneTargetAreNotAskedAbout) {
  const auto settings = std::make_shared<const config>(two_targets());
  const auto routes = advised_routes(settings, {});
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_EQ(routes[0].name, "fast");
  EXPECT_EQ(routes[0].vendors[0], routes[0].vendors[1]);
  const racing::attempt_cost cost = routes[0].cost(1, 1'000, 200);
  EXPECT_EQ(cost.win, 1'800) << "tokens: input + 4 x output";
  EXPECT_EQ(cost.loss, 1'800) << "how groq bills what is cancelled is not known here: in full";
}

TEST(AdvicePage, OnePresetByTwoNamesIsOneVendorAndTwoEnginesAreTwo) {
  config settings;
  const auto add = [&settings](const std::string& name, const std::string& preset, const std::string& host) {
    proxy::provider& made = settings.providers[name];
    made.name = name;
    made.preset = made.listed.provider = preset;
    made.url.host = host;
  };
  add("groq", "groq", "api.groq.example"), add("groq-batch", "groq", "batch.groq.example"), add("xai", "xai", "api.x.example");
  add("one", "vllm", "one.example"), add("other", "vllm", "other.example"), add("again", "", "one.example");
  for (const char* each : {"one", "other"}) settings.providers[each].key.is_optional = true;
  const auto vendor = [&settings](const char* name) { return vendor_of(settings, {name, "m"}); };
  EXPECT_EQ(vendor("groq"), vendor("groq-batch"));
  EXPECT_NE(vendor("groq"), vendor("xai"));
  EXPECT_NE(vendor("one"), vendor("other"));
  EXPECT_EQ(vendor("one"), vendor("again")) << "the same host";
  settings.providers["groq-batch"].listed.provider.clear();
  EXPECT_NE(vendor("groq"), vendor("groq-batch")) << "with a URL of its own it may be another's";
}

TEST(AdviseCommand, PrintsATableWithRangesAndNotes) {
  std::ostringstream out, err;
  EXPECT_EQ(print_advice(advice_page(report(), two_targets()), "", out, err), 0);
  const std::string text = out.str();
  for (const char* part : {"the last 72 hours", "fast: 1234 requests", "hedge 300 ms, as measured", "600 (600-1200)",
                           "> 900",
                           "62.60 %", "note: some targets have the same provider"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(AdviseCommand, PrintsMoneyByCause) {
  advice_report of_agents = report();
  of_agents.routes[0].conversations = conversations();
  std::ostringstream out, err;
  EXPECT_EQ(print_advice(advice_page(of_agents, two_targets()), "", out, err), 0);
  for (const char* part : {"PROMPT CACHE", "expired", "19.0", "4.94", "40.5", "note: 94 % of 100 requests"})
    EXPECT_NE(out.str().find(part), std::string::npos) << part << "\n" << out.str();
}

TEST(AdviseCommand, AnUnknownRouteAndAForeignPageAreSaid) {
  std::ostringstream out, err;
  EXPECT_EQ(print_advice(advice_page(report(), two_targets()), "slow", out, err), 1);
  EXPECT_NE(err.str().find("there is no advice for route 'slow'"), std::string::npos);
  EXPECT_EQ(print_advice("<html>", "", out, err), 1);
  EXPECT_EQ(print_advice(R"({"routes":[]})", "", out, err), 0);
}

}  // namespace
}  // namespace photofinish::gateway
