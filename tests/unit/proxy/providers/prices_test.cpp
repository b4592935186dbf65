// Tests the cost of an answer: prices per token, prices that depend on the prompt's size, and the times at which a price applies.
#include "proxy/providers/prices.hpp"

#include <gtest/gtest.h>

#include <chrono>

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

}  // namespace
}  // namespace photofinish::proxy
