// Tests `photofinish top`, which shows the live feed and the statistics on a terminal. The output must fit the size of
// the terminal.
#include "gateway/commands/top_page.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

json speed_at(std::uint64_t from, const json& below, double speed, std::uint64_t count = 20) {
  return {{"from", from}, {"below", below}, {"ttft_seconds", {{"count", 0}, {"censored", 0}}},
          {"tokens_per_second", {{"count", count}, {"p50", speed}, {"p95", speed}, {"p99", speed}}}};
}

json feed_of(json races = json::array()) {
  const json target{{"target", "groq/m"},
                    {"in_flight", 4},
                    {"attempts", {{"won", 90}, {"lost", 8}, {"failed", 2}}},
                    {"failures", {{"timeout", 1}, {"rate_limited", 3}}},
                    {"cost_usd", {{"winner", 0.812}, {"loser", 0.031}}},
                    {"cooldown", {{"seconds", 3.2}, {"limited", true}}}};
  const json spent{{"winner", 2.0}, {"hedge", 0.1}, {"trial", 0.02}, {"rescue", 0.0}};
  const json route{{"route", "fast"},
                   {"policy", "adaptive"},
                   {"in_flight", 7},
                   {"requests", 1201},
                   {"speculation", {{"max_extra_cost", 0.1}, {"spent", {{"usd", spent}}}}}};
  return {{"object", "feed"},
          {"version", "0.2.0"},
          {"started_at", 1'000'000},
          {"at_ms", 1'007'265'000},
          {"requests", {{"total", 1201}, {"per_second", 12.4}, {"in_flight", 7}}},
          {"targets", json::array({target})},
          {"routes", json::array({route})},
          {"races", std::move(races)}};
}

json stats_of(json by_concurrency = json::array()) {
  const json target{{"target", "groq/m"},
                    {"ttft_seconds",
                     {{"count", 9}, {"censored", 1}, {"p50", 0.1221}, {"p95", 0.2437}, {"p99", 0.3553},
                      {"at_least", json::array({"p99"})}}},
                    {"tokens_per_second", {{"count", 9}, {"p50", 176.4}, {"p95", 181.2}, {"p99", 183.1}}},
                    {"by_concurrency", std::move(by_concurrency)}};
  return {{"targets", json::array({target})}};
}

std::vector<std::string> lines_of(const std::string& screen) {
  std::vector<std::string> lines;
  std::istringstream text(screen);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Returns the first cell below this column heading in the first table.
std::string cell(const std::string& screen, const std::string& head) {
  const std::vector<std::string> lines = lines_of(screen);
  const std::size_t from = lines.at(2).find(head);
  if (from == std::string::npos) return "no " + head;
  const std::string rest = lines.at(3).substr(from);
  return rest.substr(0, rest.find("  "));
}

std::string screen_with(const json& by_concurrency) { return top_screen(feed_of().dump(), stats_of(by_concurrency).dump()); }

TEST(TopScreen, SaysWhichGatewaysAreCounted) {
  json feed = feed_of();
  feed["gateway"] = nullptr;
  feed["answered_by"] = "one";
  feed["gateways"] = json::array({{{"name", "one"}, {"is_running", true}, {"is_counted", true}},
                                  {{"name", "two"}, {"is_running", true}, {"is_counted", false}}});
  feed["note"] = "its figures are missing";
  const std::string fleet = top_screen(feed.dump(), stats_of().dump());
  EXPECT_NE(fleet.find("\ngateways: 1 of 2\nnote: its figures are missing\n"), std::string::npos) << fleet;
  EXPECT_NE(fleet.find("\nraces, cooldowns and version are those of one\n"), std::string::npos) << fleet;
  feed["gateway"] = "two";
  const std::string narrowed = top_screen(feed.dump(), stats_of().dump());
  EXPECT_NE(narrowed.find("\ngateway: two\n"), std::string::npos) << narrowed;
}

TEST(TopScreen, ItsFirstLineSaysWhatRuns) {
  const std::string screen = top_screen(feed_of().dump(), stats_of().dump());
  EXPECT_EQ(lines_of(screen).front(),
            "photofinish 0.2.0, up 2h1m: 12.4 requests/s, 7 in flight, 1201 since the start; TTFT and tok/s cover the last "
            "15 minutes");
}

TEST(TopScreen, ATargetHasItsTailsItsCooldownAndItsFailures) {
  const std::string screen = top_screen(feed_of().dump(), stats_of().dump());
  EXPECT_EQ(cell(screen, "WON %"), "90.0");
  EXPECT_EQ(cell(screen, "TTFT ms p50"), "122");
  const std::string row = lines_of(screen).at(3);
  EXPECT_NE(row.find("122          244  > 355  176        181  183  -"), std::string::npos) << row;
  EXPECT_EQ(cell(screen, "COOLDOWN"), "3s limit");
  EXPECT_EQ(cell(screen, "FAILED"), "3 rate_limited, 1 timeout");
  EXPECT_EQ(cell(screen, "LOSERS"), "0.0310");
}

TEST(TopScreen, TheKneeIsWhereSpeedFellByAFifth) {
  EXPECT_EQ(cell(screen_with(json::array({speed_at(1, 2, 100), speed_at(4, 8, 100), speed_at(8, 16, 60)})), "KNEE"), "8")
      << "half of the way from 5.3 to 11, on a scale of doublings";
  EXPECT_EQ(cell(screen_with(json::array({speed_at(1, 2, 100), speed_at(16, 32, 95)})), "KNEE"), ">22");
  EXPECT_EQ(cell(screen_with(json::array({speed_at(1, 2, 100)})), "KNEE"), "-");
  EXPECT_EQ(cell(screen_with(json::array({speed_at(1, 2, 100), speed_at(8, 16, 20, 4)})), "KNEE"), "-") << "four say little";
  EXPECT_EQ(cell(screen_with(json::array({speed_at(1, 2, 100), speed_at(128, nullptr, 99)})), "KNEE"), ">179");
}

TEST(TopScreen, ANarrowTerminalLosesTheKneeFirstAndTheTailsThen) {
  const std::string feed = feed_of().dump(), stats = stats_of().dump();
  const std::size_t wide = lines_of(top_screen(feed, stats)).at(3).size();
  const auto heads = [&](std::size_t columns) { return lines_of(top_screen(feed, stats, columns)).at(2); };
  EXPECT_NE(heads(wide + 1).find("KNEE"), std::string::npos);
  EXPECT_EQ(heads(wide - 1).find("KNEE"), std::string::npos);
  EXPECT_NE(heads(wide - 1).find("p99"), std::string::npos);
  EXPECT_EQ(heads(60).find("p99"), std::string::npos);
  EXPECT_NE(heads(60).find("COOLDOWN"), std::string::npos) << "what is left is cut by the terminal";
}

TEST(TopScreen, ARouteHasItsExtraCostAgainstItsCeiling) {
  const std::string screen = top_screen(feed_of().dump(), stats_of().dump());
  EXPECT_NE(screen.find("6.0 of 10 %"), std::string::npos) << screen;
  json fresh = feed_of();
  fresh["routes"][0]["speculation"]["spent"] = json::object();
  EXPECT_NE(top_screen(fresh.dump(), stats_of().dump()).find("0 of 10 %"), std::string::npos);
}

TEST(TopScreen, TheLastTenRacesStandNewestFirst) {
  json races = json::array();
  for (int number = 0; number < 12; ++number)
    races.push_back({{"id", "race_" + std::to_string(number)}, {"route", "fast"}, {"winner", nullptr},
                     {"attempts", json::array({{{"target", "groq/m"}}})}});
  races[11]["winner"] = 0;
  races[11]["attempts"][0]["first_token_seconds"] = 0.211;
  races[11]["answer"] = {{"outcome", "ok"}};
  const std::vector<std::string> lines = lines_of(top_screen(feed_of(races).dump(), stats_of().dump()));
  ASSERT_GT(lines.size(), 10u);
  EXPECT_TRUE(lines[lines.size() - 10].starts_with("race_11"));
  EXPECT_NE(lines[lines.size() - 10].find("211"), std::string::npos);
  EXPECT_TRUE(lines.back().starts_with("race_2"));
  EXPECT_TRUE(lines.back().ends_with("racing"));
}

TEST(CutToTerminal, NoLineIsLongerAndNoneIsBelowTheLast) {
  EXPECT_EQ(cut_to_terminal("abcdef\ngh\nij\n", 2, 4), "abcd\ngh");
  EXPECT_EQ(cut_to_terminal("abc\n", 5, 10), "abc");
  EXPECT_EQ(cut_to_terminal("\n\nabc\n", 3, 2), "\n\nab");
  EXPECT_EQ(cut_to_terminal("", 3, 2), "");
}

}  // namespace
}  // namespace photofinish::gateway
