// Tests access keys, teams and their limits in a configuration.
#include "gateway/config/access/budget_zone.hpp"
#include "gateway/config/sources/config_parser.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

TEST(TeamConfig, ReadsTeamsAndWhatKeysMayUse) {
  const config_result result = parse_config(R"(
providers: {groq: {api_key: k}}
routes: {deep: {targets: [groq/x], tpm_limit: 5000000}}
teams: {search: {max_budget: 2000, max_parallel_requests: 200}}
key_defaults: {rpm_limit: 120, max_budget: 10, budget_duration: 1d}
access_keys:
  - {name: a, key: one, team: search, expires: 2027-03-31, by_route: {deep: {rpm_limit: 5}}, blocked: true}
  - {name: b, key_hash: ["sha256:2C70E12B7A0646F92279F427C7B38E7334D8E5389CFF167A1DC30E73F826B683"], rpm_limit: 6,
     max_budget: 0.25, budget_duration: 5h, expires: "2027-03-31T18:30:05Z"}
)", "test.yaml", tests::table_environment().machine());
  ASSERT_TRUE(result.is_usable());
  const config& read = result.settings;
  EXPECT_EQ(read.routes.at("deep").limits, (limit_settings{.tokens_per_minute = 5'000'000}));
  const limit_settings team{.parallel_requests = 200, .budget_nano_usd = 2'000'000'000'000};
  EXPECT_EQ(read.access.teams.at("search"), team);
  const access_key& a = read.access.keys.at(0);
  EXPECT_EQ(a.team, "search");
  EXPECT_TRUE(a.is_blocked);
  EXPECT_EQ(a.expires, std::chrono::sys_days(std::chrono::year(2027) / 3 / 31));
  EXPECT_EQ(a.by_route.at("deep"), (limit_settings{.requests_per_minute = 5}));
  const limit_settings defaults{.requests_per_minute = 120, .budget_nano_usd = 10'000'000'000,
                                .every = {budget_unit::day}};
  EXPECT_EQ(a.limits, defaults);
  const access_key& b = read.access.keys.at(1);
  const limit_settings own{.requests_per_minute = 6, .budget_nano_usd = 250'000'000,
                           .every = {budget_unit::length, std::chrono::hours(5)}};
  EXPECT_EQ(b.limits, own);
  EXPECT_EQ(*b.expires - *a.expires, std::chrono::hours(18) + std::chrono::minutes(30) + std::chrono::seconds(5));
  EXPECT_EQ(read.access.keys.find(proxy::secret("key")), &b);  // a caller's plain key is found by its hash
}

TEST(TeamConfig, BudgetsFollowTheCalendarOfOneZone) {
  const config_result result = parse_config(R"(
budget_timezone: Asia/Tokyo
providers: {groq: {api_key: k}}
routes: {deep: {targets: [groq/x], max_budget: 5}}
teams: {search: {max_budget: 2000, budget_duration: 1w}}
key_defaults: {max_budget: 10}
access_keys: [{name: a, key: one}, {name: b, key: two, budget_duration: 1d, by_route: {deep: {max_budget: 1}}, routes: [deep]}]
)", "test.yaml", tests::table_environment().machine());
  ASSERT_TRUE(result.is_usable());
  const budget_zone* const tokyo = budget_zone::find("Asia/Tokyo");
  ASSERT_NE(tokyo, nullptr);
  const config& read = result.settings;
  for (const limit_settings* each :
       {&read.routes.at("deep").limits, &read.access.teams.at("search"), &read.access.key_defaults, &read.access.keys.at(0).limits,
        &read.access.keys.at(1).limits, &read.access.keys.at(1).by_route.at("deep")})
    EXPECT_EQ(each->every.zone, tokyo);
  EXPECT_EQ(read.access.keys.at(1).limits.every.unit, budget_unit::day);
}

config_result read_keys(std::string file, std::string_view more = "") {
  const tests::table_environment table{.files = {{"/etc/keys.yaml", std::move(file)}, {"/etc/k", "from-a-file\n"}}};
  return parse_config("providers: {groq: {api_key: k, models: ['*']}}\nroutes: {fast: {targets: [groq/x]}}\n"
                      "access_keys: file:/etc/keys.yaml\n" + std::string(more), "test.yaml", table.machine());
}

std::string problems_of(const config_result& result) {
  std::string all;
  for (const config_problem& each : result.problems) all += to_string(each) + "\n";
  return all;
}

TEST(KeysFile, IsAListAsInTheConfigurationAndIsWatched) {
  const config_result result = read_keys("- {name: a, key: one, routes: [fast]}\n- {name: b, key: file:/etc/k, admin: true}\n",
                                         "key_defaults: {rpm_limit: 9}\n");
  ASSERT_TRUE(result.is_usable()) << problems_of(result);
  ASSERT_EQ(result.settings.access.keys.size(), 2u);
  EXPECT_EQ(result.settings.access.keys[0].limits.requests_per_minute, 9u);
  EXPECT_FALSE(result.settings.access.keys[0].is_admin);
  EXPECT_TRUE(result.settings.access.keys[1].is_admin);
  EXPECT_NE(result.settings.access.keys.find(proxy::secret("from-a-file")), nullptr);
  EXPECT_EQ(result.settings.source.watched_files, (std::vector<std::string>{"/etc/keys.yaml", "/etc/k"}));
}

TEST(KeysFile, WhatIsWrongIsSaidWithItsOwnLines) {
  EXPECT_EQ(problems_of(read_keys("- {name: a, key: one}\n- {name: b, key: two, team: x}\n")),
            "/etc/keys.yaml:2:29: error: team: unknown team 'x'\n");
  EXPECT_NE(problems_of(read_keys("- {name: a, key: one}\n- {name: b, key: one}\n")).find("/etc/keys.yaml:2:"),
            std::string::npos);
  EXPECT_NE(problems_of(read_keys("a: b\n")).find("/etc/keys.yaml:1:1: error: must be a list of access keys"),
            std::string::npos);
  for (const char* nothing : {"", "\xEF\xBB\xBF", "# none\n", "% {a\n"})
    EXPECT_NE(problems_of(read_keys(nothing)).find("/etc/keys.yaml:1:1: error: must be a list"), std::string::npos) << nothing;
  EXPECT_FALSE(read_keys("- {name: a, key: one\n").is_usable());
}

// An empty list of keys is refused, because it would permit any caller to use the gateway.
TEST(KeysFile, ThatIsEmptyOrMissingOpensNothing) {
  EXPECT_NE(problems_of(read_keys("[]\n")).find("contains no keys"), std::string::npos);
  EXPECT_FALSE(read_keys("").is_usable());
  const config_result missing = parse_config("providers: {groq: {}}\naccess_keys: file:/nowhere\n", "test.yaml",
                                             tests::table_environment().machine());
  EXPECT_FALSE(missing.is_usable());
  EXPECT_EQ(missing.settings.source.watched_files, std::vector<std::string>{"/nowhere"});
}

TEST(SealedKeysSection, ReadsSecretsFromFilesAndWhatIsRevoked) {
  const tests::table_environment table{
      .files = {{"/seal", "0123456789abcdef0123456789abcdef\n"}, {"/revoked", "pf-1\npf-2, pf-3\n"}, {"/none-yet", ""}}};
  const auto read = [&table](const std::string& section) {
    return parse_config("providers: {groq: {api_key: k, models: ['*']}}\nsealed_keys: {" + section + "}\n", "test.yaml",
                        table.machine());
  };
  const config_result right = read("secrets: [\"file:/seal\", abcdef0123456789abcdef0123456789], revoked: \"file:/revoked\"");
  ASSERT_TRUE(right.is_usable()) << problems_of(right);
  EXPECT_EQ(right.settings.access.sealed_keys.secrets.at(0).reveal(), "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(right.settings.access.sealed_keys.secrets.size(), 2u);
  EXPECT_EQ(right.settings.access.sealed_keys.revoked, (std::set<std::string, std::less<>>{"pf-1", "pf-2", "pf-3"}));
  EXPECT_EQ(right.settings.source.watched_files, (std::vector<std::string>{"/seal", "/revoked"}));
  EXPECT_TRUE(right.settings.asks_for_keys());
  const config_result none = read("secrets: [\"file:/seal\"], revoked: \"file:/none-yet\"");
  EXPECT_TRUE(none.is_usable()) << "a list of revoked keys begins empty: " << problems_of(none);
  EXPECT_FALSE(read("secrets: [\"file:/none-yet\"]").is_usable());
  EXPECT_NE(problems_of(read("secrets: [short]")).find("at least 32 characters"), std::string::npos);
  EXPECT_EQ(problems_of(read("secrets: [short]")).find("short]"), std::string::npos);
  EXPECT_NE(problems_of(read("audience: x")).find("no effect without `secrets`"), std::string::npos);
  EXPECT_EQ(problems_of(read("audience: x, secrets: [\"file:/none\"]")).find("no effect"), std::string::npos)
      << "which follows from the file that is not there";
}

// A caller can avoid the limits of a route by requesting a target directly. The gateway must warn about such limits.
TEST(RouteLimits, ThatANamedTargetGoesAroundAreWarnedOf) {
  const auto warned = [](std::string_view keys, std::string_view limit) {
    return problems_of(parse_config("providers: {groq: {api_key: k}}\nroutes: {fast: {targets: [groq/x]" +
                                        std::string(limit) + "}}\naccess_keys: [" + std::string(keys) + "]\n",
                                    "test.yaml", tests::table_environment().machine()));
  };
  EXPECT_NE(warned("{name: a, key: one}", ", rpm_limit: 5").find("the limits of route 'fast' do not apply to requests that "
                                                                 "name 'groq/x' as the model, and a may send such requests"),
            std::string::npos);
  EXPECT_NE(warned("", ", rpm_limit: 5").find("and any caller may"), std::string::npos);
  EXPECT_EQ(warned("{name: a, key: one, routes: [fast]}", ", rpm_limit: 5"), "");
  EXPECT_EQ(warned("{name: a, key: one}", ""), "");
  EXPECT_NE(warned("{name: a, key: one, by_route: {fast: {rpm_limit: 5}}}", "")
                .find("by_route: a client with this key can avoid these limits"),
            std::string::npos);
  EXPECT_EQ(warned("{name: a, key: one, routes: [fast], by_route: {fast: {rpm_limit: 5}}}", ""), "");
}

}  // namespace
}  // namespace photofinish::gateway
