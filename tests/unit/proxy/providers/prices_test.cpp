// What an answer costs: the lists, their rules, and figures checked against the package the lists come from.
#include "proxy/providers/prices.hpp"

#include "proxy/providers/presets.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <iomanip>
#include <sstream>
#include <string>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_seconds noon = sys_days{2026y / 11 / 21} + 12h;

model_prices flat(double input, double output) {
  return {{price{.input = {input, {}}, .output = {output, {}}}}};
}

TEST(Prices, AreUsdForAMillionTokens) {
  EXPECT_DOUBLE_EQ(cost_usd(flat(2, 10), {.input = 1'000'000, .output = 100'000}, noon), 3.0);
  EXPECT_DOUBLE_EQ(cost_usd(flat(2, 10), {}, noon), 0);
}

TEST(Prices, CachedInputHasItsOwnRateOnlyWhereOneIsTold) {
  model_prices prices = flat(2, 10);
  const billed_tokens tokens{.input = 1'000'000, .cached_input = 500'000};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 2.0);
  prices.periods[0].cached_input = token_rate{0.5, {}};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 1.25);
}

TEST(Prices, InputWrittenIntoTheCacheHasARateAndForAnHourAnother) {
  model_prices prices = flat(4, 10);
  const billed_tokens tokens{
      .input = 1'000'000, .cached_input = 500'000, .written_input = 400'000, .written_for_hour = 100'000};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 4.0);
  prices.periods[0].written_input = token_rate{5, {}};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 0.6 * 4 + 0.4 * 5) << "an hour costs as much, if unsaid";
  prices.periods[0].written_for_hour = token_rate{8, {}};
  prices.periods[0].cached_input = token_rate{1, {}};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 0.1 * 4 + 0.5 * 1 + 0.3 * 5 + 0.1 * 8);
}

TEST(Prices, MoreWrittenTokensThanThereAreCostNoMoreThanAll) {
  model_prices prices = flat(2, 10);
  prices.periods[0].written_input = token_rate{4, {}};
  prices.periods[0].written_for_hour = token_rate{8, {}};
  const billed_tokens tokens{
      .input = 1'000'000, .cached_input = 400'000, .written_input = 9'000'000, .written_for_hour = 9'000'000};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 0.4 * 2 + 0.6 * 8);
}

TEST(Prices, MoreCachedOrReasoningTokensThanThereAreCostNoMoreThanAll) {
  model_prices prices = flat(2, 10);
  prices.periods[0].cached_input = token_rate{1, {}};
  prices.periods[0].reasoning = token_rate{20, {}};
  const billed_tokens tokens{
      .input = 1'000'000, .cached_input = 9'000'000, .output = 1'000'000, .reasoning = 9'000'000};
  EXPECT_DOUBLE_EQ(cost_usd(prices, tokens, noon), 21.0);
}

TEST(Prices, ALongPromptHasItsTierForAllOfItsTokensAndForTheAnswer) {
  const model_prices prices{{price{.input = {1, {{200'000, 2}}}, .output = {4, {{200'000, 8}}}}}};
  EXPECT_DOUBLE_EQ(cost_usd(prices, {.input = 200'000, .output = 1000}, noon), 0.2 + 0.004);
  EXPECT_DOUBLE_EQ(cost_usd(prices, {.input = 200'001, .output = 1000}, noon), 0.400002 + 0.008);
}

TEST(Prices, TheLastPeriodThatHoldsCounts) {
  model_prices prices = flat(1, 1);
  prices.periods.push_back(price{.input = {3, {}}, .output = {3, {}}, .times = {.from = 2026y / 11 / 21}});
  EXPECT_EQ(prices.at(sys_days{2026y / 11 / 21} - 1s).input.usd, 1);
  EXPECT_EQ(prices.at(sys_days{2026y / 11 / 21}).input.usd, 3);
}

TEST(Prices, HoursOfTheDayMayReachPastMidnight) {
  model_prices prices = flat(1, 1);
  prices.periods.push_back(price{.input = {2, {}}, .output = {2, {}}, .times = {.hours = {{22h + 0min, 6h + 30min}}}});
  const sys_seconds midnight = sys_days{2026y / 11 / 21};
  EXPECT_EQ(prices.at(midnight + 21h + 59min).input.usd, 1);
  EXPECT_EQ(prices.at(midnight + 22h).input.usd, 2);
  EXPECT_EQ(prices.at(midnight + 6h + 29min).input.usd, 2);
  EXPECT_EQ(prices.at(midnight + 6h + 30min).input.usd, 1);
}

TEST(Prices, APriceMayHoldInSeveralHoursOnWorkingDaysThatAreNoHolidays) {
  model_prices prices = flat(1, 1);
  const price_times peak{.hours = {{1h, 4h}, {6h, 10h}}, .weekdays = 0b0111110, .holidays = {2026y / 10 / 1}};
  prices.periods.push_back(price{.input = {2, {}}, .output = {2, {}}, .times = peak});
  const auto rate = [&](sys_days day, std::chrono::hours hour) { return prices.at(day + hour).input.usd; };
  const sys_days monday = 2026y / 11 / 30, saturday = 2026y / 11 / 28, sunday = 2026y / 11 / 29;
  EXPECT_EQ(rate(monday, 0h), 1);
  EXPECT_EQ(rate(monday, 3h), 2);
  EXPECT_EQ(rate(monday, 4h), 1);
  EXPECT_EQ(rate(monday, 9h), 2);
  EXPECT_EQ(rate(monday, 10h), 1);
  EXPECT_EQ(rate(saturday, 3h), 1);
  EXPECT_EQ(rate(sunday, 3h), 1);
  EXPECT_EQ(rate(2026y / 10 / 1, 3h), 1) << "a holiday, which is a Thursday";
  EXPECT_EQ(rate(2026y / 10 / 2, 3h), 2);
}

TEST(Prices, EveryConditionOfAPriceMustBeMet) {
  model_prices prices = flat(1, 1);
  const price_times late{.from = 2026y / 12 / 1, .hours = {{1h, 4h}}};
  prices.periods.push_back(price{.input = {2, {}}, .output = {2, {}}, .times = late});
  EXPECT_EQ(prices.at(sys_days{2026y / 11 / 30} + 2h).input.usd, 1);
  EXPECT_EQ(prices.at(sys_days{2026y / 12 / 1} + 2h).input.usd, 2);
  EXPECT_EQ(prices.at(sys_days{2026y / 12 / 1} + 5h).input.usd, 1);
}

TEST(PriceText, IsInputAndOutputMaybeWithMoreOfTheInputBetween) {
  EXPECT_EQ(parse_prices("0.15/0.6"), flat(0.15, 0.6));
  model_prices three = flat(2, 10);
  three.periods[0].cached_input = token_rate{0.5, {}};
  EXPECT_EQ(parse_prices("2/0.5/10"), three);
  three.periods[0].written_input = token_rate{2.5, {}};
  EXPECT_EQ(parse_prices("2/0.5/2.5/10"), three);
  three.periods[0].written_for_hour = token_rate{4, {}};
  EXPECT_EQ(parse_prices("2/0.5/2.5/4/10"), three);
  EXPECT_EQ(parse_prices("0/0"), flat(0, 0));
  for (const char* bad : {"", "1", "1/", "/1", "1/2/3/4/5/6", "a/b", "1 /2",
                           "-1/2", "nan/1", "inf/1", "1e999/1", "$1/2"})
    EXPECT_FALSE(parse_prices(bad)) << bad;
}

TEST(KnownPrices, AreThoseOfThePackageTheyComeFrom) {
  const auto rows = nlohmann::json::parse(tests::source_file("tests/support/price_vectors.json"));
  ASSERT_GT(rows.size(), 1000u);
  for (const auto& row : rows) {
    const model_prices* prices = known_prices(row[0].get<std::string>(), row[1].get<std::string>());
    ASSERT_TRUE(prices) << row;
    const billed_tokens tokens{.input = row[2], .cached_input = row[3], .written_input = row[4],
                               .written_for_hour = row[5], .output = row[6], .reasoning = row[7]};
    std::istringstream time(row[8].get<std::string>());
    std::tm parts{};
    time >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
    const auto when = sys_days{std::chrono::year(parts.tm_year + 1900) / (parts.tm_mon + 1) / parts.tm_mday} +
                      std::chrono::hours(parts.tm_hour);
    EXPECT_NEAR(cost_usd(*prices, tokens, when), row[9].get<double>(), 1e-9) << row;
  }
}

TEST(KnownPrices, FindAModelByItsDatedName) {
  const model_prices* dated = known_prices("openai", "gpt-4o-2024-08-06");
  ASSERT_TRUE(dated);
  EXPECT_EQ(dated, known_prices("openai", "GPT-4o-2024-08-06"));
}

TEST(KnownPrices, ATenthMoreIsAskedForClaudeInARegionOfVertex) {
  const auto price = [](std::string_view list, std::string_view model) {
    const model_prices* known = known_prices(list, model);
    return known ? known->periods[0] : proxy::price{};
  };
  for (const char* model : {"claude-sonnet-4-5@20250929", "claude-haiku-4-5@20251001", "claude-opus-4-6"}) {
    const proxy::price global = price("vertex-anthropic", model), regional = price("vertex-anthropic/regional", model);
    EXPECT_GT(global.input.usd, 0) << model;
    EXPECT_NEAR(regional.input.usd, 1.1 * global.input.usd, 1e-9) << model;
    EXPECT_NEAR(regional.output.usd, 1.1 * global.output.usd, 1e-9) << model;
    EXPECT_NEAR(regional.cached_input->usd, 1.1 * global.cached_input->usd, 1e-9) << model;
    ASSERT_EQ(regional.output.tiers.size(), global.output.tiers.size());
    for (std::size_t tier = 0; tier < global.output.tiers.size(); ++tier) {
      EXPECT_EQ(regional.output.tiers[tier].above, global.output.tiers[tier].above);
      EXPECT_NEAR(regional.output.tiers[tier].usd, 1.1 * global.output.tiers[tier].usd, 1e-9);
    }
  }
  for (const char* older : {"claude-sonnet-4@20250514", "claude-opus-4-1@20250805", "claude-3-5-haiku@20241022"})
    EXPECT_EQ(price("vertex-anthropic/regional", older), price("vertex-anthropic", older)) << older;
}

TEST(KnownPrices, AreUnknownForUnknownNames) {
  EXPECT_FALSE(known_prices("groq", "a-model-without-a-price"));
  EXPECT_FALSE(known_prices("no-such-preset", "gpt-4o"));
  EXPECT_FALSE(known_prices("", ""));
  EXPECT_FALSE(has_known_prices(""));
  EXPECT_FALSE(known_prices("openai", "gpt-4o" + std::string(1'000'000, 'x')));
}

TEST(KnownPrices, SpeakOfPresetsOnly) {
  const auto list = nlohmann::json::parse(tests::source_file("proxy/providers/data/prices.json"));
  for (const auto& [preset, models] : list["providers"].items()) EXPECT_TRUE(presets().contains(preset.substr(0, preset.find('/')))) << preset;
  EXPECT_EQ(known_prices_source(), list["source"].get<std::string>());
}

TEST(KnownPrices, CoverTheFirstTargetsOfTheReadyGroup) {
  const race_group& group = race_groups().front();
  ASSERT_EQ(group.name, "gpt-oss-120b");
  for (const std::string& target : {group.targets[0], group.targets[1], group.targets[2]}) {
    const std::size_t slash = target.find('/');
    EXPECT_TRUE(known_prices(target.substr(0, slash), target.substr(slash + 1))) << target;
  }
}

}  // namespace
}  // namespace photofinish::proxy
