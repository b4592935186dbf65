// Tests how benchmark records become reports: aggregation, notes, and each of the report writers.
#include "gateway/bench/level_report.hpp"
#include "gateway/bench/report/chart.hpp"
#include "gateway/bench/report/data_report.hpp"
#include "gateway/bench/report/html_report.hpp"
#include "gateway/bench/report/table_report.hpp"

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
proxy::instant at(int ms) { return origin + milliseconds(ms); }

// A request that was sent at the time `sent`. The first token arrived `ttft` later, followed by 20 more tokens at intervals of 10 ms.
request_record answered(int sent, int ttft) {
  request_record record;
  record.due_at = record.started_at = at(sent);
  record.status = 200;
  record.ended_at = at(sent + ttft + 200);
  record.seen.first_token_at = at(sent + ttft);
  record.seen.last_token_at = record.ended_at;
  record.seen.text_bytes = 84;
  record.seen.first_text_bytes = 4;
  record.seen.usage = proxy::token_usage{.input_tokens = 50, .output_tokens = 21};
  record.seen.connection = proxy::connection_used::reused;
  return record;
}

request_record failed(int sent, int status, proxy::failure_kind kind, std::string detail) {
  request_record record;
  record.due_at = record.started_at = at(sent);
  record.ended_at = at(sent + 10);
  record.status = status;
  record.error.emplace();
  record.error->kind = kind;
  record.error->detail = std::move(detail);
  return record;
}

double value(const level_report& level, std::string_view tag) {
  const metric* found = level.find(tag);
  return found ? found->avg : -1;
}

std::vector<request_record> mixed_records() {
  std::vector<request_record> records{answered(0, 100), answered(300, 200), answered(700, 300)};
  records.push_back(failed(800, 429, proxy::failure_kind::rate_limited, "slow down"));
  records.push_back(failed(1800, 0, proxy::failure_kind::cancelled, ""));
  records.push_back(answered(5000, 9000));
  records.back().phase = run_phase::warmup;
  return records;
}

run_report run_of(std::vector<level_report> levels) {
  run_report run;
  run.url = "http://127.0.0.1:1/v1";
  run.model = "a<b>&\"c";
  run.version = "1.2.3";
  run.clock = {std::chrono::system_clock::time_point{std::chrono::seconds(1'790'000'000)}, origin};
  run.begun_at = origin;
  run.ended_at = at(2000);
  run.plan = make_plan({.goodput = "time_to_first_token:250"}, 1).plan;
  run.levels = std::move(levels);
  run.used = {1000, 500};
  return run;
}

level_report mixed_level() {
  const auto limits = make_plan({.goodput = "time_to_first_token:250"}, 1).plan.goodput;
  return report_of({.concurrency = 3}, level_end::interrupted, mixed_records(), limits);
}

TEST(LevelReport, RatesAreThoseOfTheProfilingRequests) {
  const level_report level = mixed_level();
  EXPECT_EQ(level.succeeded, 3u);
  EXPECT_EQ(level.failed, 1u);
  EXPECT_EQ(level.cancelled, 1u);
  EXPECT_DOUBLE_EQ(value(level, "benchmark_duration"), 1.2);  // the last answer ended at 1200 ms, which is 1.2 s
  EXPECT_DOUBLE_EQ(value(level, "request_throughput"), 2.5);
  EXPECT_DOUBLE_EQ(value(level, "output_token_throughput"), 63 / 1.2);
  EXPECT_DOUBLE_EQ(value(level, "request_error_rate"), 25);
  EXPECT_DOUBLE_EQ(value(level, "good_request_count"), 2);
  EXPECT_DOUBLE_EQ(value(level, "goodput"), 2 / 1.2);
  EXPECT_DOUBLE_EQ(level.find("time_to_first_token")->spread->p50, 200);
}

TEST(LevelReport, ErrorsAreCountedByStatusAndKind) {
  std::vector<request_record> records(3, failed(0, 500, proxy::failure_kind::server_error, "first"));
  records.insert(records.begin(), failed(0, 429, proxy::failure_kind::rate_limited, "slow down"));
  const level_report level = report_of({}, level_end::complete, records, {});
  ASSERT_EQ(level.errors.size(), 2u);
  EXPECT_EQ(level.errors[0].code, 500);
  EXPECT_EQ(level.errors[0].count, 3u);
  EXPECT_EQ(level.errors[1].type, "rate_limited");
}

TEST(LevelReport, OneAnswerWithoutUsageLeavesNoTotalOfTokens) {
  std::vector<request_record> records{answered(0, 100), answered(300, 100)};
  records[1].seen.usage.reset();
  const level_report level = report_of({}, level_end::complete, records, {});
  EXPECT_EQ(level.without_usage, 1u);
  EXPECT_EQ(level.find("output_token_throughput"), nullptr);
  EXPECT_EQ(level.find("total_osl"), nullptr);
  EXPECT_EQ(level.find("output_sequence_length")->spread->count, 1u);
  const std::string table = write_table(run_of({level}));
  EXPECT_NE(table.find("the endpoint reported no token usage for 1 request of 2"), std::string::npos) << table;
}

TEST(LevelReport, RacesAreToldByTheirWinners) {
  std::vector<request_record> records(4, answered(0, 100));
  for (request_record& each : records) each.winner = "slow/m", each.attempts = 2;
  records[0].winner = records[1].winner = records[2].winner = "fast/m";
  const level_report level = report_of({}, level_end::complete, records, {});
  EXPECT_EQ(level.winners.at("fast/m"), 3u);
  EXPECT_DOUBLE_EQ(*level.attempts_per_request, 2);
  const std::string table = write_table(run_of({level}));
  EXPECT_NE(table.find("won by fast/m 75 %, slow/m 25 %; 2 attempts per request"), std::string::npos) << table;
}

TEST(LevelReport, NothingAnsweredHasNoLatency) {
  const std::vector<request_record> records{failed(0, 0, proxy::failure_kind::connect, "refused")};
  const level_report level = report_of({}, level_end::complete, records, {});
  EXPECT_EQ(level.find("time_to_first_token"), nullptr);
  EXPECT_DOUBLE_EQ(value(level, "request_error_rate"), 100);
  EXPECT_NE(write_table(run_of({level})).find('-'), std::string::npos);
  EXPECT_TRUE(json::accept(write_json(run_of({level}))));
}

TEST(BenchTable, ShowsPercentilesByLevel) {
  const std::string table = write_table(run_of({mixed_level(), mixed_level()}));
  EXPECT_NE(table.find("TTFT p50  p95  p99"), std::string::npos) << table;
  EXPECT_NE(table.find("concurrency 3: interrupted; 1 request cancelled"), std::string::npos) << table;
  EXPECT_NE(table.find("1 request failed: rate_limited (HTTP 429): slow down"), std::string::npos) << table;
  EXPECT_NE(table.find("at most 1000 input tokens and 500 output tokens"), std::string::npos) << table;
}

TEST(BenchJson, NamesAreThoseOfAIPerf) {
  const json reported = json::parse(write_json(run_of({mixed_level()})));
  const json& level = reported["levels"][0];
  const json& ttft = level["time_to_first_token"];
  for (const char* name : {"unit", "avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std",
                           "count", "sum"})
    EXPECT_TRUE(ttft.contains(name)) << name;
  EXPECT_EQ(ttft["unit"], "ms");
  EXPECT_EQ(ttft["count"], 3);
  EXPECT_EQ(ttft["sum"], 600);
  for (const char* name : {"request_latency", "inter_token_latency", "output_token_throughput_per_user",
                           "output_sequence_length", "input_sequence_length", "output_token_throughput",
                           "request_throughput", "request_count", "goodput", "benchmark_duration", "error_summary",
                           "input_config", "was_cancelled"})
    EXPECT_TRUE(level.contains(name)) << name;
  EXPECT_EQ(level["error_summary"][0]["error_details"]["code"], 429);
  EXPECT_EQ(level["was_cancelled"], true);
  EXPECT_EQ(reported["start_time"], "2026-09-21T14:13:20Z");
}

TEST(BenchRecords, ALineForEachRequestByAIPerfsNames) {
  std::istringstream lines(write_records(run_of({mixed_level()}), mixed_records()));
  std::vector<json> reported;
  for (std::string line; std::getline(lines, line);) reported.push_back(json::parse(line));
  ASSERT_EQ(reported.size(), 6u);
  EXPECT_EQ(reported[1]["metadata"]["request_start_ns"], 1'790'000'000'300'000'000);
  EXPECT_EQ(reported[1]["metrics"]["time_to_first_token"]["value"], 200);
  EXPECT_EQ(reported[3]["error"]["code"], 429);
  EXPECT_EQ(reported[4]["error"]["code"], 499);
  EXPECT_EQ(reported[4]["metadata"]["was_cancelled"], true);
  EXPECT_EQ(reported[5]["metadata"]["benchmark_phase"], "warmup");
}

TEST(BenchCsv, EveryRowHasAsManyCellsAsTheHead) {
  std::istringstream lines(write_csv(run_of({mixed_level()})));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "Level,Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,std");
  const auto commas = std::count(line.begin(), line.end(), ',');
  int rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
  EXPECT_GT(rows, 10);
}

TEST(BenchCsv, OneLevelHasAIPerfsTwoParts) {
  const std::string csv = write_level_csv(mixed_level());
  EXPECT_NE(csv.find("Time to First Token (ms),200.00,100.00,300.00,600.00,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n\nMetric,Value\n"), std::string::npos);
  EXPECT_NE(csv.find("\nRequest Count,3.00\n"), std::string::npos);
}

TEST(BenchHtml, PageNeedsNothingButItself) {
  const std::string page = write_html(run_of({mixed_level(), mixed_level()}));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("url("), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_LT(page.find("knee: "), page.find("<svg")) << "the sentence stands under the title";
  EXPECT_NE(page.find("a&lt;b&gt;&amp;&quot;c"), std::string::npos);
  EXPECT_EQ(page.find("a<b>"), std::string::npos);
  const auto figures_drawn = [&page] {
    int count = 0;
    for (std::size_t from = page.find("<svg"); from != std::string::npos; from = page.find("<svg", from + 1)) ++count;
    return count;
  }();
  EXPECT_EQ(figures_drawn, 7);
}

TEST(BenchChart, PointsLieWhereTheirValuesAre) {
  const std::string drawn = draw({"t", "ms", "load", {{1, "1"}, {2, "2"}}, {{"p50", {0.0, 100.0}}}});
  // The expected SVG path is a line from the lower left to the upper right.
  EXPECT_NE(drawn.find("M56.0 224.0L496.0 14.0"), std::string::npos) << drawn;
}

TEST(BenchChart, ALevelWithoutAFigureIsAGap) {
  const std::string drawn = draw({"t", "ms", "load", {{1, "1"}, {2, "2"}, {3, "3"}}, {{"p50", {1.0, std::nullopt, 1.0}}}});
  EXPECT_NE(drawn.find("M56.0 14.0M496.0 14.0"), std::string::npos) << drawn;
}

TEST(BenchChart, LoadsAreAsFarApartAsTheirRatioSays) {
  const std::vector<chart_place> places{{100, "100"}, {1, "1"}, {10, "10"}};  // loads in the list need not be sorted
  const std::string drawn = draw({"t", "ms", "load", places, {{"p50", {1.0, 0.0, 1.0}}}});
  EXPECT_NE(drawn.find("M56.0 224.0L276.0 14.0L496.0 14.0"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("load (log scale)</text>"), std::string::npos) << drawn;
  const std::string alone = draw({"t", "ms", "load", {{5, "5"}}, {{"p50", {1.0}}}});
  EXPECT_EQ(alone.find("log scale"), std::string::npos) << alone;
}

TEST(BenchChart, LabelsThatWouldOverlapAreLeftOut) {
  const std::string drawn = draw({"t", "ms", "load", {{1, "one"}, {99, "crowd"}, {100, "most"}}, {{"p50", {1, 1, 1}}}});
  EXPECT_NE(drawn.find(">one</text>"), std::string::npos);
  EXPECT_NE(drawn.find(">most</text>"), std::string::npos);
  EXPECT_EQ(drawn.find(">crowd</text>"), std::string::npos);
  EXPECT_NE(drawn.find("load crowd: 1 ms"), std::string::npos) << "the point tells it";
}

TEST(BenchChart, AxesEndAtRoundNumbers) {
  EXPECT_DOUBLE_EQ(axis_end(0), 1);
  EXPECT_DOUBLE_EQ(axis_end(264), 300);
  EXPECT_DOUBLE_EQ(axis_end(300), 300);
  EXPECT_DOUBLE_EQ(axis_end(0.07), 0.08);
  EXPECT_DOUBLE_EQ(axis_end(9), 10);
}

TEST(BenchNumbers, KeepThreeDigits) {
  EXPECT_EQ(number_text(1234.5), "1234");
  EXPECT_EQ(number_text(41.23), "41.2");
  EXPECT_EQ(number_text(4.125), "4.12");
  EXPECT_EQ(number_text(0.0456), "0.046");
  EXPECT_EQ(number_text(34), "34");
  EXPECT_EQ(number_text(0), "0");
}

}  // namespace
}  // namespace photofinish::gateway::bench
