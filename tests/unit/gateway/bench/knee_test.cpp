// Tests how the knee of a load sweep is found. The knee is the load from which waiting times grow suddenly. Each load level has known
// waiting times, speeds and failures.
#include "gateway/bench/knee.hpp"
#include "gateway/bench/report/data_report.hpp"
#include "gateway/bench/report/table_report.hpp"
#include "gateway/bench/run_report.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

struct behaviour {
  int ttft_ms = 100;
  int gap_ms = 10;        // milliseconds between two tokens of a stream
  int slow_ttft_ms = 0;   // time to the first token of the slow requests, which are every tenth request; 0 means that no request is slow
  std::size_t failures = 0;
  std::size_t requests = 40;
};

level_report level_at(std::size_t concurrency, const behaviour& how) {
  constexpr int tokens_behind_first = 20;
  const proxy::instant origin{std::chrono::hours(1)};
  std::vector<request_record> records;
  for (std::size_t i = 0; i < how.requests; ++i) {
    request_record record;
    record.due_at = record.started_at = origin + milliseconds(10 * i);
    const int ttft = i % 10 == 0 && how.slow_ttft_ms > 0 ? how.slow_ttft_ms : how.ttft_ms;
    record.seen.first_token_at = record.started_at + milliseconds(ttft);
    record.ended_at = *record.seen.first_token_at + milliseconds(tokens_behind_first * how.gap_ms);
    record.seen.last_token_at = record.ended_at;
    record.seen.text_bytes = 84;
    record.seen.first_text_bytes = 4;
    record.seen.usage = proxy::token_usage{.input_tokens = 50, .output_tokens = tokens_behind_first + 1};
    record.status = i < how.failures ? 503 : 200;
    if (i < how.failures) record.error.emplace();
    records.push_back(std::move(record));
  }
  return report_of({.concurrency = concurrency}, level_end::complete, records, {});
}

std::string words(const std::vector<level_report>& levels) { return words_of(knee_of(levels), levels); }

TEST(Knee, LiesBelowTheFirstLoadAtWhichUsersWaitLonger) {
  const std::vector<level_report> levels{level_at(1, {}), level_at(10, {.ttft_ms = 149}),
                                         level_at(25, {.ttft_ms = 400}), level_at(50, {.ttft_ms = 900})};
  const knee found = knee_of(levels);
  EXPECT_EQ(found.state, knee_state::found);
  EXPECT_EQ(found.keeps_up_at, 1u);
  EXPECT_EQ(found.bends_at, 2u);
  EXPECT_FALSE(found.kept_up_again_at);
  EXPECT_EQ(words(levels), "knee: the endpoint keeps up with loads up to concurrency 10; at concurrency 25 TTFT p50 is 400 ms (100 ms at "
                           "concurrency 1), TTFT p95 is 400 ms (100 ms at concurrency 1)");
}

TEST(Knee, ATailThatGrowsIsOne) {
  const std::vector<level_report> levels{level_at(1, {}), level_at(2, {.slow_ttft_ms = 500})};
  const knee found = knee_of(levels);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].statistic, "p95");
  EXPECT_DOUBLE_EQ(found.reasons[0].value, 500);
  EXPECT_DOUBLE_EQ(found.reasons[0].limit, 200);
}

TEST(Knee, ATailOfAFewRequestsProvesNothing) {
  const std::vector<level_report> levels{level_at(1, {}), level_at(2, {.slow_ttft_ms = 500, .requests = 19})};
  EXPECT_EQ(knee_of(levels).state, knee_state::not_reached);
}

TEST(Knee, ASpeedThatFallsByMoreThanAFifthIsOne) {
  EXPECT_EQ(knee_of(std::vector{level_at(1, {}), level_at(2, {.gap_ms = 12})}).state, knee_state::not_reached);
  const std::vector<level_report> levels{level_at(1, {}), level_at(2, {.gap_ms = 20})};
  EXPECT_EQ(words(levels), "knee: the endpoint keeps up with loads up to concurrency 1; at concurrency 2 tok/s per user p50 is 50 (100 at "
                           "concurrency 1)");
}

TEST(Knee, FailuresAreOne) {
  const std::vector<level_report> levels{level_at(1, {.failures = 1}), level_at(2, {.failures = 4})};
  EXPECT_EQ(words(levels), "knee: the endpoint keeps up with loads up to concurrency 1; at concurrency 2 10 % of the requests fail")
      << "one failure in 40 may be an accident";
  EXPECT_EQ(words({level_at(1, {.failures = 20}), level_at(2, {.failures = 40})}),
            "knee: below the lowest measured load, concurrency 1: 50 % of the requests fail");
}

TEST(Knee, AFewMillisecondsAreNone) {
  const std::vector<level_report> levels{level_at(1, {.ttft_ms = 2}), level_at(2, {.ttft_ms = 20})};
  EXPECT_EQ(words(levels), "knee: not reached; at concurrency 2, the waiting times, the speed and the error rate are still close "
                           "to their values at "
                           "concurrency 1");
}

TEST(Knee, ALoadAboveItThatKeptUpMakesItDoubtful) {
  const std::vector<level_report> levels{level_at(1, {}), level_at(2, {.ttft_ms = 300}), level_at(3, {})};
  EXPECT_EQ(knee_of(levels).kept_up_again_at, 2u);
  EXPECT_NE(words(levels).find("But the endpoint kept up again at concurrency 3: measure again"), std::string::npos) << words(levels);
}

TEST(Knee, IsFoundInAnyOrderOfTheLevels) {
  const std::vector<level_report> levels{level_at(25, {.ttft_ms = 400}), level_at(1, {}), level_at(10, {})};
  const knee found = knee_of(levels);
  EXPECT_EQ(found.lowest_load, 1u);
  EXPECT_EQ(found.keeps_up_at, 2u);
  EXPECT_EQ(found.bends_at, 0u);
}

TEST(Knee, ALevelThatWasCutShortSaysNothing) {
  std::vector<level_report> levels{level_at(1, {}), level_at(2, {.ttft_ms = 900})};
  levels[1].end = level_end::interrupted;
  EXPECT_EQ(knee_of(levels).state, knee_state::unknown);
  EXPECT_EQ(words(levels), "knee: unknown, because fewer than two load levels were measured completely");
}

TEST(Knee, StandsInTheTableAndInJson) {
  run_report run;
  run.levels = {level_at(1, {}), level_at(10, {}), level_at(25, {.gap_ms = 20})};
  EXPECT_NE(write_table(run).find("  knee: the endpoint keeps up with loads up to concurrency 10;"), std::string::npos);
  const json reported = json::parse(write_json(run))["knee"];
  EXPECT_EQ(reported["state"], "found");
  EXPECT_EQ(reported["keeps_up_at"]["concurrency"], 10);
  EXPECT_EQ(reported["bends_at"]["level"], "concurrency 25");
  EXPECT_EQ(reported["kept_up_again_at"], nullptr);
  EXPECT_EQ(reported["reasons"][0]["metric"], "output_token_throughput_per_user");
  EXPECT_EQ(reported["reasons"][0]["statistic"], "p50");
  EXPECT_DOUBLE_EQ(reported["reasons"][0]["at_lowest_load"], 100);
  EXPECT_DOUBLE_EQ(reported["reasons"][0]["limit"], 80);
}

TEST(Knee, IsNotSpokenOfWhereThereIsOneLoad) {
  run_report run;
  run.levels = {level_at(1, {})};
  EXPECT_EQ(write_table(run).find("knee"), std::string::npos);
  EXPECT_EQ(json::parse(write_json(run))["knee"]["state"], "unknown");
}

}  // namespace
}  // namespace photofinish::gateway::bench
