// Tests the cost that an answer reports. The cost includes every paid attempt, each at the prices of its own target.
#include "gateway/records/costs/race_cost.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

class race_cost : public ::testing::Test {
 protected:
  race_cost() {
    seen_.prompt.bytes = 4000;
    seen_.prompt.extent = {.bytes = 8000, .most_output = 1000};
    seen_.planned = {{.target = {"a", "m"}, .billing = proxy::cancel_billing::unknown},
                     {.target = {"b", "m"}, .billing = proxy::cancel_billing::full}};
    seen_.race.winner = 0;
    seen_.race.attempts = {sent(0), sent(1)};
    seen_.race.attempts[0].end = racing::attempt_end::won;
    seen_.race.attempts[0].summary.text_bytes = 400;
    seen_.race.attempts[0].summary.usage = proxy::token_usage{.input_tokens = 1000, .output_tokens = 100};
    prices_["a"] = *proxy::parse_prices("1/10");
    prices_["b"] = *proxy::parse_prices("2/20");
  }

  static racing::attempt_report sent(std::size_t target) {
    racing::attempt_report report;
    report.target = target;
    report.summary.connection = proxy::connection_used::fresh;
    return report;
  }
  std::optional<double> cost() {
    const auto find = [this](const target_name& each, proxy::price_tier tier) {
      const auto found = prices_.find(tier == proxy::price_tier::standard ? each.provider
                                                                   : each.provider + "@" + std::string(to_string(tier)));
      return found == prices_.end() ? nullptr : &found->second;
    };
    return cost_until_now(seen_, find, std::chrono::sys_days{2026y / 11 / 21});
  }

  race_account seen_;
  std::map<std::string, proxy::model_prices> prices_;
};

TEST_F(race_cost, IsTheWinnersAndTheLosers) {
  ASSERT_TRUE(cost());
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 1 + 100 * 10 + 1000 * 2 + 100 * 20) / 1e6);
}

TEST_F(race_cost, IsByTheTierThatWasServed) {
  prices_["a@flex"] = *proxy::parse_prices("0.5/5");
  prices_["a@priority"] = *proxy::parse_prices("2/20");
  const double loser = (1000 * 2 + 100 * 20) / 1e6;
  seen_.planned[0].tier = proxy::price_tier::priority;
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 2 + 100 * 20) / 1e6 + loser) << "the tier that was asked for";
  seen_.race.attempts[0].summary.usage->tier = proxy::price_tier::flex;
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 0.5 + 100 * 5) / 1e6 + loser) << "the provider served less";
}

TEST_F(race_cost, OfALoserIsByTheTierThatWasAskedFor) {
  prices_["b@priority"] = *proxy::parse_prices("4/40");
  seen_.planned[1].tier = proxy::price_tier::priority;
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 1 + 100 * 10 + 1000 * 4 + 100 * 40) / 1e6);
}

TEST_F(race_cost, OfALoserThatWasNeverSentIsNothing) {
  seen_.race.attempts[1].summary.connection = proxy::connection_used::none;
  seen_.race.attempts[1].cancel_duration = 1ms;
  prices_.erase("b");
  ASSERT_TRUE(cost());
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 1 + 100 * 10) / 1e6);
}

// The cost of a non-streamed answer is computed while losing attempts are still open. The cost includes each open attempt that has a
// connection. An attempt that never had a connection costs nothing. The receipt follows the same rule.
TEST_F(race_cost, OfALoserThatStillRunsCountsIfItHasAConnection) {
  ASSERT_FALSE(seen_.race.attempts[1].cancel_duration);
  EXPECT_DOUBLE_EQ(cost().value_or(0), (1000 * 1 + 100 * 10 + 1000 * 2 + 100 * 20) / 1e6);
  seen_.race.attempts[1].summary.connection = proxy::connection_used::none;
  EXPECT_DOUBLE_EQ(cost().value_or(0), (1000 * 1 + 100 * 10) / 1e6);
}

TEST_F(race_cost, OfARefusedAttemptIsNothing) {
  seen_.race.attempts[1].end = racing::attempt_end::failed;
  seen_.race.attempts[1].why = proxy::failure();
  ASSERT_TRUE(cost());
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 1 + 100 * 10) / 1e6);
}

TEST_F(race_cost, IsUnknownIfOnePriceIs) {
  prices_.erase("b");
  EXPECT_FALSE(cost());
  prices_["b"] = prices_["a"];
  prices_.erase("a");
  EXPECT_FALSE(cost());
}

TEST_F(race_cost, OfAWinnerWithoutUsageIsEstimated) {
  seen_.race.attempts.pop_back();
  seen_.race.attempts[0].summary.usage.reset();
  ASSERT_TRUE(cost());
  EXPECT_DOUBLE_EQ(*cost(), (1000 * 1 + 100 * 10) / 1e6);
}

TEST_F(race_cost, OfUsageThatCannotBeIsCut) {
  seen_.race.attempts.pop_back();
  seen_.race.attempts[0].summary.usage->output_tokens = 1'000'000'000;
  ASSERT_TRUE(cost());
  EXPECT_LT(*cost(), 10);
}

TEST(UsdText, IsANumberOfJsonWithoutAnExponent) {
  EXPECT_EQ(usd_text(0), "0");
  EXPECT_EQ(usd_text(0.000123), "0.000123");
  EXPECT_EQ(usd_text(0.0000000014), "0.000000001");
  EXPECT_EQ(usd_text(12.5), "12.5");
  EXPECT_EQ(usd_text(3), "3");
  EXPECT_EQ(usd_text(-1), "0");
  EXPECT_EQ(usd_text(std::numeric_limits<double>::infinity()), "1000000000");
}

}  // namespace
}  // namespace photofinish::gateway
