// Tests how the scorecard is computed from the records of a comparison: the fastest endpoint, its cost, and each of the report writers.
#include "gateway/bench/scorecard/card_data.hpp"
#include "gateway/bench/scorecard/card_page.hpp"
#include "gateway/bench/scorecard/card_table.hpp"
#include "gateway/bench/scorecard/scatter.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

const proxy::instant origin{std::chrono::hours(1)};

// A request whose first token arrived after `ttft` ms. Another 100 tokens arrived in the following `decode` ms.
request_record answered(std::size_t round, int ttft, int decode) {
  request_record record;
  record.round = round;
  record.due_at = record.started_at = origin;
  record.status = 200;
  record.seen.first_token_at = origin + milliseconds(ttft);
  record.ended_at = origin + milliseconds(ttft + decode);
  record.seen.last_token_at = record.ended_at;
  record.seen.text_bytes = 404;
  record.seen.first_text_bytes = 4;
  record.seen.usage = proxy::token_usage{.input_tokens = 1000, .output_tokens = 101};
  record.seen.connection = proxy::connection_used::reused;
  return record;
}

request_record failed(std::size_t round) {
  request_record record;
  record.round = round;
  record.status = 503;
  record.error.emplace();
  record.error->kind = proxy::failure_kind::server_error;
  record.error->detail = "busy";
  return record;
}

measured_cell cell(std::size_t endpoint, int ttft, int decode, std::size_t failures = 0) {
  measured_cell made{.endpoint = endpoint, .size = 0, .records = {}, .given_up = {}};
  for (std::size_t round = 0; round < 20; ++round) {
    const int noise = static_cast<int>(round * 7 % 20);  // noise from 0 to 19 ms; in each round, all endpoints have the same noise
    made.records.push_back(round < failures ? failed(round) : answered(round, ttft + noise, decode));
  }
  return made;
}

scorecard card_of(std::vector<measured_cell> cells, std::size_t endpoints) {
  scorecard card;
  card.version = "1.2.3";
  card.plan = make_comparison({}, {1000}, endpoints, 1).plan;
  card.clock = {std::chrono::system_clock::time_point{std::chrono::seconds(1'790'000'000)}, origin};
  card.begun_at = card.ended_at = origin;
  card.rounds = 20;
  for (std::size_t i = 0; i < endpoints; ++i)
    card.endpoints.push_back({.url = "http://127.0.0.1:" + std::to_string(i) + "/v1", .model = "m<" + letter_of(i)});
  card.endpoints[0].prices = proxy::parse_prices("1/10");
  card.endpoints[0].origin = price_origin::given;
  card.endpoints[0].cost_usd = 0.25;
  fill(card, cells);
  return card;
}

const finding& found(const scorecard& card, figure_id by) {
  return *std::find_if(card.findings.begin(), card.findings.end(), [by](const finding& each) { return each.by == by; });
}

scorecard three() { return card_of({cell(0, 300, 1000), cell(1, 302, 2000), cell(2, 450, 1000)}, 3); }

TEST(Scorecard, NearEqualOnesAreCalledEqualAndTheOthersByHowMuchTheyAreBehind) {
  const scorecard card = three();
  const finding& ttft = found(card, figure_id::time_to_first_token);
  EXPECT_EQ(ttft.best, 0u);
  EXPECT_EQ(ttft.equal, (std::vector<std::size_t>{1}));
  ASSERT_EQ(ttft.behind.size(), 1u);
  EXPECT_EQ(ttft.behind[0].endpoint, 2u);
  EXPECT_NEAR(ttft.behind[0].ratio, 459.5 / 309.5, 0.001);
  EXPECT_EQ(words_of(ttft), "first token: A is fastest with 310 ms; equally fast: B; as long: C 1.48 times");
}

TEST(Scorecard, SpeedIsBestWhereItIsHighest) {
  const scorecard card = three();
  const finding& speed = found(card, figure_id::output_token_throughput_per_user);
  EXPECT_EQ(speed.best, 0u);
  EXPECT_DOUBLE_EQ(speed.median, 100);
  EXPECT_EQ(words_of(speed), "output speed: A is fastest with 100 tok/s; equally fast: C; its speed: B 0.500 times");
}

TEST(Scorecard, OneThatOftenFailsIsRankedNowhere) {
  const scorecard card = card_of({cell(0, 300, 1000), cell(1, 100, 500, 3)}, 2);
  const finding& ttft = found(card, figure_id::time_to_first_token);
  EXPECT_EQ(ttft.best, 0u);
  EXPECT_EQ(ttft.left_out, (std::vector<std::size_t>{1}));
  EXPECT_EQ(words_of(ttft), "first token: A has 310 ms; not ranked: B");
  const scorecard seldom = card_of({cell(0, 300, 1000), cell(1, 100, 500, 2)}, 2);
  EXPECT_EQ(found(seldom, figure_id::time_to_first_token).best, 1u);
}

TEST(Scorecard, TooFewAnswersAreNoVerdict) {
  measured_cell few = cell(0, 300, 1000);
  few.records.resize(4);
  const scorecard card = card_of({few}, 1);
  EXPECT_FALSE(found(card, figure_id::time_to_first_token).best);
  EXPECT_EQ(words_of(found(card, figure_id::time_to_first_token)),
            "first token: too few answers to say which endpoint is fastest");
}

TEST(Scorecard, ARequestCostsWhatItsUsageSays) {
  const scorecard card = three();
  EXPECT_DOUBLE_EQ(*card.find(0, 0)->usd_per_request, 0.001 + 0.00101);
  EXPECT_FALSE(card.find(1, 0)->usd_per_request);
  EXPECT_DOUBLE_EQ(price_at(card, *card.find(0, 0))->output, 10);
}

TEST(Scorecard, AnswersOfDifferentLengthsAreNoted) {
  scorecard card = three();
  const auto has_note = [&card] {
    for (const std::string& each : notes_of(card))
      if (each.find("the times to the whole answer are not directly comparable") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(has_note());
  measured_cell longer = cell(1, 302, 2000);
  for (request_record& each : longer.records) each.seen.usage->output_tokens = 150;
  card = card_of({cell(0, 300, 1000), longer}, 2);
  EXPECT_TRUE(has_note());
}

TEST(CardTable, HasSpeedBesidePriceAndTheVerdicts) {
  const std::string table = write_card_table(three());
  EXPECT_NE(table.find("1,000 tokens in  TTFT p50"), std::string::npos) << table;
  EXPECT_NE(table.find("A  http://127.0.0.1:0/v1  m<A"), std::string::npos) << table;
  EXPECT_NE(table.find("equally fast: B"), std::string::npos) << table;
  EXPECT_NE(table.find("B: 0 input tokens and 0 output tokens, including warm-ups; the price of the model is unknown"),
            std::string::npos) << table;
}

TEST(CardJson, SaysItAllForPrograms) {
  const json card = json::parse(write_card_json(three()));
  EXPECT_EQ(card["endpoints"].size(), 3u);
  EXPECT_EQ(card["endpoints"][0]["price_source"], "given");
  EXPECT_EQ(card["endpoints"][1]["cost_usd"], nullptr);
  EXPECT_EQ(card["fastest"][0]["best"], "A");
  EXPECT_EQ(card["fastest"][0]["equal"], json::array({"B"}));
  EXPECT_EQ(card["fastest"][0]["behind"][0]["endpoint"], "C");
  ASSERT_EQ(card["cells"].size(), 3u);
  EXPECT_EQ(card["cells"][2]["figures"]["time_to_first_token"]["count"], 20);
  EXPECT_EQ(card["cells"][0]["input_usd_per_million"], 1);
  EXPECT_EQ(card["cells"][0]["figures"]["input_config"]["isl"], 1000);
  const json& range = card["cells"][0]["p50_ranges"]["time_to_first_token"];
  EXPECT_LE(range["low"], card["fastest"][0]["p50"]);
  EXPECT_GE(range["high"], card["fastest"][0]["p50"]);
}

TEST(CardCsv, EveryRowHasAsManyCellsAsTheHead) {
  std::istringstream lines(write_card_csv(three()));
  std::string line;
  std::getline(lines, line);
  const auto commas = std::count(line.begin(), line.end(), ',');
  int rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
  EXPECT_EQ(rows, 3);
}

TEST(CardPage, NeedsNothingButItselfAndDrawsSpeedAgainstPrice) {
  const std::string page = write_card_page(three());
  for (const char* other : {"<script", "src=", "<link", "url(", "m<A"})
    EXPECT_EQ(page.find(other), std::string::npos) << other;
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(page.find("Speed against price, 1,000 tokens in"), std::string::npos);
  EXPECT_NE(page.find("A, m&lt;A: 100 tok/s, 2.01 USD for 1,000 requests"), std::string::npos);
}

TEST(CardPage, WithoutPricesThereIsNoChartOfThem) {
  scorecard card = three();
  for (card_cell& each : card.cells) each.usd_per_request.reset();
  EXPECT_EQ(write_card_page(card).find("Speed against price"), std::string::npos);
}

TEST(Scatter, PointsLieWhereTheirValuesAre) {
  const std::string drawn =
      draw(scatter{"t", "tok/s", "USD", {{"A", "a", 0, 0, 100, value_range{50, 100}}, {"B", "b", 1, 2, 50, {}}}});
  EXPECT_NE(drawn.find("cx=\"56.0\" cy=\"14.0\" r=\"5\" class=\"s0\""), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("cx=\"520.0\" cy=\"119.0\" r=\"5\" class=\"s1\""), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("y1=\"119.0\" y2=\"14.0\" class=\"range\""), std::string::npos) << drawn;
}

}  // namespace
}  // namespace photofinish::gateway::bench
