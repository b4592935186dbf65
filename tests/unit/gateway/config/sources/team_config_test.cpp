// Keys, teams and their limits, as a configuration has them.
#include "gateway/config/sources/config_parser.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <chrono>

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
  EXPECT_EQ(read.teams.at("search"), team);
  const access_key& a = read.access_keys.at(0);
  EXPECT_EQ(a.team, "search");
  EXPECT_TRUE(a.is_blocked);
  EXPECT_EQ(a.expires, std::chrono::sys_days(std::chrono::year(2027) / 3 / 31));
  EXPECT_EQ(a.by_route.at("deep"), (limit_settings{.requests_per_minute = 5}));
  const limit_settings defaults{.requests_per_minute = 120, .budget_nano_usd = 10'000'000'000,
                                .every = {budget_unit::day}};
  EXPECT_EQ(a.limits, defaults);
  const access_key& b = read.access_keys.at(1);
  const limit_settings own{.requests_per_minute = 6, .budget_nano_usd = 250'000'000,
                           .every = {budget_unit::length, std::chrono::hours(5)}};
  EXPECT_EQ(b.limits, own);
  EXPECT_EQ(*b.expires - *a.expires, std::chrono::hours(18) + std::chrono::minutes(30) + std::chrono::seconds(5));
  EXPECT_EQ(read.access_keys.find(proxy::secret("key")), &b);  // whose SHA-256 that is
}

}  // namespace
}  // namespace photofinish::gateway
