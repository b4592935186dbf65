#include "gateway/bench/scorecard/traffic_forecast.hpp"

#include "gateway/usage/usage_page.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

namespace photofinish::gateway::bench {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

const sys_seconds now{seconds(1'790'000'000)};
constexpr std::int64_t day = 86'400;

std::string page(std::int64_t complete_since, const std::string& rows) {
  return R"({"object":"page","data":[{"object":"bucket","results":[)" + rows + R"(]},{"object":"bucket","results":[]}],)" +
         R"("complete_since":)" + std::to_string(complete_since) + "}";
}
const std::string two_rows =
    R"({"model":"a/m","num_model_requests":3000,"input_tokens":6000000,"output_tokens":600000,"cost_usd":20},)"
    R"({"model":"b/n","num_model_requests":1000,"input_tokens":2000000,"output_tokens":200000,"cost_usd":4})";

TEST(Traffic, IsWhatAllModelsServedSinceTheCountIsComplete) {
  const auto read = read_traffic(page(1'790'000'000 - 10 * day, two_rows), now);
  const auto& traffic = std::get<own_traffic>(read);
  EXPECT_DOUBLE_EQ(traffic.days, 10);
  EXPECT_DOUBLE_EQ(traffic.requests, 4000);
  EXPECT_DOUBLE_EQ(traffic.input_tokens, 8e6);
  EXPECT_DOUBLE_EQ(traffic.cost_usd, 24);
  EXPECT_DOUBLE_EQ(std::get<own_traffic>(read_traffic(page(0, two_rows), now)).days, 30) << "older days are not in it";
}

TEST(Traffic, ReadsTheGatewaysOwnPage) {
  usage_book book(now - seconds(2 * day));
  used_share share;
  share.by.model = "a/m";
  share.amounts.requests = 5;
  share.amounts.input_tokens = 100;
  book.add(share, now - seconds(day));
  usage_query wanted;
  wanted.start = now - seconds(30 * day);
  wanted.end = now;
  wanted.width = seconds(day);
  wanted.by_model = true;
  const auto read = read_traffic(usage_json(make_usage_report(book, wanted)), now);
  ASSERT_TRUE(std::holds_alternative<own_traffic>(read)) << std::get<std::string>(read);
  EXPECT_DOUBLE_EQ(std::get<own_traffic>(read).requests, 5);
  EXPECT_DOUBLE_EQ(std::get<own_traffic>(read).input_tokens, 100);
}

TEST(Traffic, WhatIsNoPageIsRefused) {
  const auto problem = [](const std::string& text) { return std::get<std::string>(read_traffic(text, now)); };
  EXPECT_EQ(problem("<html>"), "does not answer like a photofinish gateway");
  EXPECT_EQ(problem("{}"), "does not answer like a photofinish gateway");
  EXPECT_EQ(problem(page(0, "")), "has not counted any requests yet");
  EXPECT_EQ(problem(R"({"data":[1,{"results":7},{"results":["x",{"num_model_requests":-4}]}]})"),
            "has not counted any requests yet");
}

request_record answered(std::uint64_t input, std::uint64_t output) {
  request_record record;
  record.seen.usage = proxy::token_usage{.input_tokens = input, .output_tokens = output};
  return record;
}

scorecard two_endpoints() {
  scorecard card;
  card.plan = make_comparison({}, {1000}, 2, 1).plan;
  card.endpoints = {{.url = "u", .model = "m", .prices = proxy::parse_prices("1/10")}, {.url = "v", .model = "n"}};
  card.traffic = own_traffic{.days = 10, .requests = 4000, .input_tokens = 8e6, .output_tokens = 8e5, .cost_usd = 24};
  fill(card, {{.endpoint = 0, .size = 0, .records = {answered(1000, 300)}, .given_up = {}},
              {.endpoint = 1, .size = 0, .records = {answered(1000, 100)}, .given_up = {}}});
  return card;
}

TEST(Forecast, IsTrafficByPriceAndByTheLengthOfItsAnswers) {
  const auto forecast = forecast_of(two_endpoints());
  ASSERT_EQ(forecast.size(), 2u);
  EXPECT_DOUBLE_EQ(forecast[0].output_ratio, 1.5);
  EXPECT_DOUBLE_EQ(forecast[0].input_ratio, 1);
  EXPECT_DOUBLE_EQ(*forecast[0].usd_per_day, (8.0 + 0.8 * 1.5 * 10) / 10);
  EXPECT_EQ(words_of(forecast[0]), "A: 2 USD a day, 60 a month");
  EXPECT_EQ(words_of(forecast[1]), "B: the price of the model is unknown");
}

TEST(Forecast, SaysWhatItAssumes) {
  const auto said = assumptions_of(two_endpoints());
  ASSERT_EQ(said.size(), 4u);
  EXPECT_EQ(said[0], "traffic of the gateway: 4000 requests, 8000000 input tokens and 800000 output tokens in 10 days; known costs: "
                     "2.40 USD a day");
  EXPECT_NE(said[1].find("no input is cached"), std::string::npos);
  EXPECT_NE(said[2].find("answers have 1.50 times the average"), std::string::npos) << said[2];
}

TEST(Forecast, WithoutTrafficThereIsNone) {
  scorecard card = two_endpoints();
  card.traffic.reset();
  EXPECT_TRUE(forecast_of(card).empty());
  EXPECT_TRUE(assumptions_of(card).empty());
}

}  // namespace
}  // namespace photofinish::gateway::bench
