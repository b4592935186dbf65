#include "gateway/limits/soft_budgets.hpp"

#include "gateway/limits/limit_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

const std::chrono::sys_seconds noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 25) + 12h;
const std::chrono::sys_seconds midnight = std::chrono::sys_days(std::chrono::year(2026) / 11 / 26);

spent_soft_budget spent(const std::string& name, std::chrono::sys_seconds window_ends = midnight) {
  return {"team", name, 1'000'000'000, 1'200'000'000, window_ends};
}

std::vector<std::string> shown(const std::vector<soft_budget_alert>& changes) {
  std::vector<std::string> names;
  for (const soft_budget_alert& each : changes) names.push_back((each.ends_at ? "-" : "+") + each.budget.name);
  return names;
}

using names = std::vector<std::string>;

TEST(SoftBudgets, AreToldOnceInAWindow) {
  soft_budget_watch watch;
  EXPECT_EQ(shown(watch.on({}, noon)), names());
  EXPECT_EQ(shown(watch.on({spent("a")}, noon)), names({"+a"}));
  EXPECT_EQ(shown(watch.on({spent("a")}, noon + 1s)), names());
  EXPECT_EQ(shown(watch.on({spent("a"), spent("b")}, noon + 2s)), names({"+b"}));
  EXPECT_EQ(watch.firing().size(), 2u);
  EXPECT_EQ(shown(watch.on({}, midnight)), names({"-a", "-b"}));
  EXPECT_TRUE(watch.firing().empty());
  EXPECT_EQ(shown(watch.on({spent("a", midnight + 24h)}, midnight + 1s)), names({"+a"}));
}

TEST(SoftBudgets, OneThatIsSpentAgainAtOnceBeginsAnewInItsNextWindow) {
  soft_budget_watch watch;
  watch.on({spent("a")}, noon);
  const auto changes = watch.on({spent("a", midnight + 24h)}, midnight);
  EXPECT_EQ(shown(changes), names({"-a", "+a"}));
  EXPECT_EQ(watch.firing().at(0).starts_at, midnight);
}

TEST(SoftBudgets, ATableReadsThoseThatAreSpentAndRefusesNoRequest) {
  auto settings = std::make_shared<config>();
  settings->access.teams["search"] = {.every = {budget_unit::day}, .soft_budget_nano_usd = 1'000'000'000};
  settings->access.keys.push_back({.name = "alice", .key = proxy::secret("k"), .routes = {}, .team = "search"});
  const auto table = limit_book().table_for(settings);
  EXPECT_TRUE(table->has_limits());
  const caller alice{.key = &settings->access.keys[0]};
  table->turn_windows(noon);
  const limit_claims claims = table->claims_of(alice);
  ASSERT_EQ(claims.end() - claims.begin(), 1);
  claims.begin()->account->spend(999'999'999);
  table->turn_windows(noon);
  EXPECT_TRUE(table->spent_soft_budgets().empty());
  claims.begin()->account->spend(1);
  const auto found = table->spent_soft_budgets();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].scope + ":" + found[0].name, "team:search");
  EXPECT_EQ(found[0].window_ends, midnight);
  EXPECT_TRUE(table->budgets().empty()) << "a budget is what refuses";
  table->turn_windows(midnight);
  EXPECT_TRUE(table->spent_soft_budgets().empty()) << "the next window has begun";
}

}  // namespace
}  // namespace photofinish::gateway
