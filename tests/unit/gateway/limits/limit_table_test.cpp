#include "gateway/limits/limit_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

namespace photofinish::gateway {
namespace {

constexpr proxy::instant start{std::chrono::hours(100)};

config team_config() {
  config made;
  made.access.teams["search"] = {.requests_per_minute = 100};
  made.routes["fast"] = {.name = "fast", .limits = {.requests_per_minute = 50}};
  made.routes["free"] = {.name = "free"};
  access_key alice{.name = "alice", .key = proxy::secret("k-1"), .routes = {}, .team = "search"};
  alice.limits.requests_per_minute = 10;
  alice.by_route["fast"].requests_per_minute = 2;
  made.access.keys.push_back(alice);
  made.access.keys.push_back({.name = "bob", .key = proxy::secret("k-2"), .routes = {}});
  return made;
}

std::shared_ptr<const config> shared(config settings) { return std::make_shared<const config>(std::move(settings)); }

std::vector<limit_scope> scopes(const limit_claims& claims) {
  std::vector<limit_scope> all;
  for (const limit_claim& each : claims) all.push_back(each.scope);
  return all;
}

TEST(LimitTable, ARequestIsChargedToItsKeyItsTeamAndItsRoute) {
  using enum limit_scope;
  const auto settings = shared(team_config());
  limit_book book;
  const auto table = book.table_for(settings);
  EXPECT_TRUE(table->has_limits());
  const caller alice{&settings->access.keys[0]}, bob{&settings->access.keys[1]};
  EXPECT_EQ(scopes(table->claims_of(alice, "fast")), (std::vector{key, key_on_route, team, route}));
  EXPECT_EQ(scopes(table->claims_of(alice, "free")), (std::vector{key, team}));
  EXPECT_EQ(scopes(table->claims_of(alice)), (std::vector{key, team}));
  EXPECT_EQ(scopes(table->claims_of(bob, "fast")), (std::vector{route}));
  EXPECT_EQ(scopes(table->claims_of(bob, "_direct")), std::vector<limit_scope>{});
  EXPECT_EQ(scopes(table->claims_of(caller{}, "fast")), (std::vector{route}));
}

TEST(LimitTable, WithoutLimitsThereAreNoAccounts) {
  config plain;
  plain.access.keys.push_back({.name = "bob", .key = proxy::secret("k-2"), .routes = {}});
  plain.access.teams["search"] = {};
  EXPECT_FALSE(limit_book().table_for(shared(plain))->has_limits());
}

TEST(LimitTable, WhatWasUsedStaysThroughAReload) {
  limit_book book;
  const auto before = shared(team_config());
  const auto first = book.table_for(before);
  for (int each = 0; each < 5; ++each) {
    auto taken = limit_hold::take(first->claims_of({&before->access.keys[0]}), first, {}, start);
    ASSERT_TRUE(std::holds_alternative<limit_hold>(taken));
  }
  config removed = team_config();
  removed.access.keys = {};
  (void)book.table_for(shared(removed));
  config doubled = team_config();
  doubled.access.keys[0].limits.requests_per_minute = 20;
  const auto after = shared(doubled);
  const auto second = book.table_for(after);
  const limit_claims claims = second->claims_of({&after->access.keys[0]});
  // Half of the old limit was used. After the limit was doubled, half of the new limit is left.
  EXPECT_EQ(token_bucket::units_in(claims.begin()->account->requests.room(start), 20), 10u);
}

TEST(LimitTable, AHoldOutlivesTheTableOfItsConfiguration) {
  limit_book book;
  std::variant<limit_hold, limit_refusal> taken;
  {
    config settings = team_config();
    settings.access.keys[0].limits.parallel_requests = 1;
    const auto kept = shared(settings);
    const auto table = book.table_for(kept);
    taken = limit_hold::take(table->claims_of({&kept->access.keys[0]}), table, {}, start);
  }
  std::get<limit_hold>(taken).settle(1, 1, 1, start);
  std::get<limit_hold>(taken).leave();
}

TEST(LimitTable, ABudgetThatIsAddedCountsItsOwnWindow) {
  limit_book book;
  const auto before = shared(team_config());
  const auto first = book.table_for(before);
  first->turn_windows(std::chrono::sys_days(std::chrono::year(2026) / 10 / 23));
  first->claims_of({&before->access.keys[0]}).begin()->account->spend(400);
  first->turn_windows(std::chrono::sys_days(std::chrono::year(2026) / 11 / 1));
  config budgeted = team_config();
  budgeted.access.keys[0].limits.budget_nano_usd = 50;
  const auto second = book.table_for(shared(budgeted));
  ASSERT_EQ(second->budgets().size(), 1u);
  EXPECT_EQ(second->budgets()[0].spent_nano_usd, 0);
}

TEST(LimitTable, AnAccountComesWithTheFirstRequestAndIsTheSameInEveryTable) {
  limit_book book;
  const auto settings = shared(team_config());
  const auto first = book.table_for(settings), second = book.table_for(settings);  // both tables are created before any account exists
  const caller alice{&settings->access.keys[0]};
  const limit_claims there = first->claims_of(alice, "fast"), here = second->claims_of(alice, "fast");
  for (const limit_claim *one = there.begin(), *other = here.begin(); one != there.end(); ++one, ++other)
    EXPECT_EQ(one->account, other->account) << to_string(one->scope);
  EXPECT_EQ(first->claims_of(alice, "fast").begin()->account, there.begin()->account);
}

TEST(LimitTable, BudgetsAreListedWithWhatWasSpent) {
  config settings = team_config();
  settings.access.teams["search"].budget_nano_usd = 10;
  const auto kept = shared(settings);
  limit_book book;
  const auto table = book.table_for(kept);
  const limit_claims claims = table->claims_of({&kept->access.keys[0]});
  for (const limit_claim& each : claims) each.account->spend(3);
  ASSERT_EQ(table->budgets().size(), 1u);
  EXPECT_EQ(table->budgets()[0].name, "search");
  EXPECT_EQ(table->budgets()[0].spent_nano_usd, 3);
  table->turn_windows(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23));
  EXPECT_EQ(table->budgets()[0].spent_nano_usd, 3);
}

// Starts the next budget windows in the table, as the gateway's housekeeper would.
void turn(const limit_table& table, std::chrono::sys_seconds now) {
  if (table.has_windows()) table.turn_windows(now);
}

caller subject_of(const limit_settings& limits) {
  auto made = std::make_shared<access_key>();
  made->name = "_sealed/search/ann";
  made->limits = limits;
  return {made.get(), made};
}

TEST(LimitTable, ASubjectsBudgetBeginsAnewWithItsWindow) {
  config settings;
  settings.access.jwt.push_back({.name = "sso", .issuer = "https://sso"});
  settings.access.key_defaults.budget_nano_usd = 50;
  limit_book book;
  const auto table = book.table_for(shared(settings));
  turn(*table, std::chrono::sys_days(std::chrono::year(2026) / 10 / 23));
  const limit_claims claims = table->claims_of(subject_of(settings.access.key_defaults));
  claims.begin()->account->spend(40);
  turn(*table, std::chrono::sys_days(std::chrono::year(2026) / 10 / 31));
  EXPECT_EQ(claims.begin()->account->spent(), 40);
  turn(*table, std::chrono::sys_days(std::chrono::year(2026) / 11 / 1));
  EXPECT_EQ(claims.begin()->account->spent(), 0);
}

TEST(LimitTable, WhatASubjectSpentBeforeItHadABudgetIsOfItsOwnWindow) {
  config plain;
  plain.access.sealed_keys.secrets.emplace_back("a secret");
  const limit_settings rates{.requests_per_minute = 10};
  limit_book book;
  const auto before = book.table_for(shared(plain));
  turn(*before, std::chrono::sys_days(std::chrono::year(2026) / 10 / 23));
  const limit_claims claims = before->claims_of(subject_of(rates));
  claims.begin()->account->spend(400);
  config budgeted = plain;
  budgeted.access.jwt.push_back({.name = "sso", .issuer = "https://sso"});
  budgeted.access.key_defaults.budget_nano_usd = 50;
  const auto after = book.table_for(shared(budgeted));
  turn(*after, std::chrono::sys_days(std::chrono::year(2026) / 11 / 23));
  EXPECT_EQ(claims.begin()->account->spent(), 0) << "it was spent in October";
}

}  // namespace
}  // namespace photofinish::gateway
