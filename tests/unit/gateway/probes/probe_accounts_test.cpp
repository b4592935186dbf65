// Tests whether the daily budget of probes survives a restart. Also tests the rows about probes on the metrics page.
#include "gateway/probes/probe_accounts.hpp"

#include <gtest/gtest.h>

#include <prometheus/metric_family.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace photofinish::gateway {
namespace {

const target_name probed{"p", "m"};

// Returns the sum of all samples in each metric family.
std::map<std::string, double> sums_of(const probe_accounts& accounts) {
  metrics::merged_families page;
  accounts.show(page);
  std::map<std::string, double> sums;
  for (const prometheus::MetricFamily& family : page.take())
    for (const prometheus::ClientMetric& each : family.metric)
      sums[family.name] += each.counter.value + each.gauge.value;
  return sums;
}

TEST(ProbeAccounts, TheDaysMoneyOutlivesARestart) {
  std::string folder = std::filesystem::temp_directory_path() / "photofinish_probes_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  {
    probe_accounts first;
    first.open(folder);
    EXPECT_TRUE(first.reserve(600, 1'000));
    first.settle(probed, 600, 700, probe_end::answered);
  }
  {
    probe_accounts next;
    next.open(folder);
    EXPECT_FALSE(next.reserve(400, 1'000));
    EXPECT_TRUE(next.reserve(300, 1'000));
  }
  std::filesystem::remove_all(folder);
}

TEST(ProbeAccounts, ThePageShowsResultsAndTheDaysCost) {
  probe_accounts accounts;
  accounts.adopt(2'000'000'000);
  for (const probe_end how : {probe_end::answered, probe_end::failed, probe_end::answered}) {
    ASSERT_TRUE(accounts.reserve(100'000'000, 2'000'000'000));
    accounts.settle(probed, 100'000'000, 500'000'000, how);
  }
  const auto sums = sums_of(accounts);
  EXPECT_EQ(sums.at("photofinish_probes_total"), 3);
  EXPECT_DOUBLE_EQ(sums.at("photofinish_probe_cost_usd_total"), 1.5);
  EXPECT_DOUBLE_EQ(sums.at("photofinish_probe_spend_usd"), 1.5);
  EXPECT_DOUBLE_EQ(sums.at("photofinish_probe_budget_usd"), 2);
}

}  // namespace
}  // namespace photofinish::gateway
