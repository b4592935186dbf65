// Tests the page of statistics: the parts that each caller may see, the table in the terminal, and the path of the statistics file.
#include "gateway/commands/stats.hpp"
#include "gateway/config/state_dir.hpp"
#include "gateway/housekeeping/stats_page.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const racing::wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

racing::stats_report report() {
  racing::stats_window window;
  for (int i = 0; i < 100; ++i) {
    window.add({"groq/openai/m", 100, 1, 0.2, std::nullopt, 400}, noon);
    window.add({"groq/openai/m", 5'000, 3, 0.4, std::nullopt, 200}, noon);
    window.add({"slow/m", 100, 1, i < 10 ? std::optional(0.2) : std::nullopt,
                i < 10 ? std::nullopt : std::optional(0.3), std::nullopt}, noon);
  }
  return make_stats_report(window, noon);
}

std::string page_of(const fleet_scope& scope, const config& settings, const caller& who) {
  return stats_page({std::make_shared<const racing::stats_report>(report()), {}, scope}, settings, who);
}

TEST(StatsPage, TellsQuantilesAndWhichOfThemAreBoundsAlone) {
  const json page = json::parse(page_of({}, {}, {}));
  EXPECT_EQ(page.at("object"), "provider.stats");
  EXPECT_EQ(page.at("as_of"), 1'769'860'800);
  EXPECT_EQ(page.at("window_seconds"), 259'200);
  ASSERT_EQ(page.at("targets").size(), 2u);
  const json& groq = page.at("targets").at(0);
  EXPECT_EQ(groq.at("target"), "groq/openai/m");
  EXPECT_EQ(groq.at("provider"), "groq");
  EXPECT_EQ(groq.at("model"), "openai/m");
  EXPECT_EQ(groq.at("ttft_seconds").at("count"), 200);
  EXPECT_NEAR(groq.at("ttft_seconds").at("p95").get<double>(), 0.4, 0.004);
  EXPECT_EQ(groq.at("ttft_seconds").at("at_least"), json::array());
  EXPECT_NEAR(groq.at("tokens_per_second").at("p50").get<double>(), 200, 2);
  EXPECT_EQ(groq.at("by_input_tokens").at(1).at("from"), 4096);
  EXPECT_EQ(groq.at("by_input_tokens").at(1).at("below"), 16384);
  EXPECT_EQ(groq.at("by_concurrency").at(1).at("from"), 2);
  EXPECT_NEAR(groq.at("by_concurrency").at(0).at("tokens_per_second").at("p50").get<double>(), 400, 4);
  const json& slow = page.at("targets").at(1);
  EXPECT_EQ(slow.at("ttft_seconds").at("censored"), 90);
  EXPECT_EQ(slow.at("ttft_seconds").at("at_least"), json::array({"p50", "p95", "p99"}));
  EXPECT_EQ(slow.at("tokens_per_second"), json({{"count", 0}}));
}

TEST(StatsPage, AKeyForSomeRoutesSeesTheirTargetsAlone) {
  config settings;
  settings.routes["fast"] = {.name = "fast", .targets = {{"groq", "openai/m"}}, .race = {}};
  settings.access.keys = {{"team", proxy::secret("k"), {"fast"}}};
  const json page = json::parse(page_of({}, settings, {&settings.access.keys[0]}));
  ASSERT_EQ(page.at("targets").size(), 1u);
  EXPECT_EQ(page.at("targets").at(0).at("target"), "groq/openai/m");
}

TEST(StatsPage, SaysWhichGatewaysItCovers) {
  const fleet_scope all{.gateway = {}, .members = {{"one", true, true}, {"two", true, true}}};
  const json fleet = json::parse(page_of(all, {}, {}));
  EXPECT_TRUE(fleet.at("gateway").is_null());
  EXPECT_TRUE(fleet.at("alone_since").is_null());
  EXPECT_EQ(fleet.at("gateways").size(), 2u);
  EXPECT_NE(fleet.at("note").get<std::string>().find("estimates"), std::string::npos);
  const fleet_scope one{.gateway = "two", .members = {{"two", true, true}}};
  const json narrowed = json::parse(stats_page({nullptr, stats_answer(report()), one}, {}, {}));
  EXPECT_EQ(narrowed.at("targets"), fleet.at("targets"));
  EXPECT_EQ(narrowed.at("gateway"), "two");
  EXPECT_TRUE(narrowed.at("note").is_null());
}

TEST(StatsPage, SaysSinceWhenTheStoreIsAway) {
  fleet_scope scope{.gateway = "one", .members = {{"one", true, true}}, .note = "this gateway alone: it is away"};
  scope.alone_since = std::chrono::sys_seconds(std::chrono::seconds(1'769'860'800));
  const json page = json::parse(page_of(scope, {}, {}));
  EXPECT_EQ(page.at("alone_since"), 1'769'860'800);
  EXPECT_NE(page.at("note").get<std::string>().find("since 1769860800"), std::string::npos);
}

TEST(StatsPage, IsEmptyForAnAnswerThatIsNone) {
  for (const char* answer : {"", "no", "{}", R"({"targets":1})"})
    EXPECT_EQ(stats_page({nullptr, answer, {}}, {}, {}), "");
  const std::string odd = stats_page({nullptr, R"({"targets":[1,{"target":2},{}]})", {}}, {}, {});
  EXPECT_EQ(json::parse(odd).at("targets").size(), 0u);
}

TEST(StatsCommand, ShowsATableWithBoundsMarked) {
  std::ostringstream out, err;
  EXPECT_EQ(print_stats(page_of({}, {}, {}), out, err), 0);
  const std::string text = out.str();
  EXPECT_EQ(text.find("the last 72 hours\nnote: figures of all gateways"), 0u) << text;
  EXPECT_NE(text.find("\nTARGET         TTFT ms p50"), std::string::npos) << text;
  EXPECT_NE(text.find("> 29"), std::string::npos) << text;
  EXPECT_NE(text.find("4096-16383"), std::string::npos) << text;
  EXPECT_NE(text.find("2-3"), std::string::npos) << text;
}

TEST(StatsCommand, AnotherServersAnswerIsAnError) {
  for (const char* page : {"", "<html>", "{}", R"({"targets":[{}],"window_seconds":1})"}) {
    std::ostringstream out, err;
    EXPECT_EQ(print_stats(page, out, err), 1) << page;
    EXPECT_NE(err.str(), "");
  }
}

TEST(StateDir, IsConfiguredOrSystemdsOrTheUsers) {
  using variables = std::map<std::string, std::string>;
  const auto found = [](const std::string& configured, variables set) {
    config settings;
    settings.state_dir = configured;
    return state_dir_of(settings, tests::table_environment{.variables = std::move(set)}.machine());
  };
  EXPECT_EQ(found("/srv/x", {{"STATE_DIRECTORY", "/var/lib/photofinish"}}), "/srv/x");
  EXPECT_EQ(found("none", {{"STATE_DIRECTORY", "/var/lib/photofinish"}}), "");
  EXPECT_EQ(found("", {{"STATE_DIRECTORY", "/var/lib/photofinish:/more"}, {"HOME", "/root"}}), "/var/lib/photofinish");
  EXPECT_EQ(found("", {{"XDG_STATE_HOME", "/s"}, {"HOME", "/home/me"}}), "/s/photofinish");
  EXPECT_EQ(found("", {{"HOME", "/home/me"}}), "/home/me/.local/state/photofinish");
  EXPECT_EQ(found("", {}), "");
}

}  // namespace
}  // namespace photofinish::gateway
