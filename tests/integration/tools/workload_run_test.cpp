// Runs a user's own workload against the simulated provider, and checks the requests, their order and their times.
#include "gateway/bench/load/bench_run.hpp"
#include "gateway/bench/report/data_report.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using tests::running_simulator;
using std::chrono::milliseconds;

std::unique_ptr<bench_run> measured(const running_simulator& provider, const std::string& model,
                                    bench_options options, const std::string& lines) {
  options.prompts = std::make_shared<const workload>(std::get<workload>(read_workload(lines)));
  plan_result planned = make_plan(options, 1);
  for (const std::string& problem : planned.problems) ADD_FAILURE() << problem;
  auto found = find_endpoint("http://127.0.0.1:" + std::to_string(provider.port()), "",
                             tests::table_environment{}.machine());
  auto run = std::make_unique<bench_run>(
      bench_setup{std::move(planned.plan), std::get<endpoint>(std::move(found)), model, {}, "test"});
  ::testing::internal::CaptureStderr();
  run->run();
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(run->problem(), "");
  return run;
}

// Returns the numbers of output tokens of the measured requests, in the order in which the requests were sent.
std::vector<std::uint64_t> output_tokens(const bench_run& run) {
  std::vector<std::uint64_t> all;
  for (const level_result& level : run.levels())
    for (const request_record& each : level.records)
      if (each.phase == run_phase::profiling) all.push_back(each.seen.usage->output_tokens);
  return all;
}

TEST(WorkloadRun, SendsEachLineOnceInItsOrderWithItsOwnLength) {
  running_simulator provider;
  const auto run = measured(provider, "m;tokens=40", {.concurrency = {1}},
                            "{\"prompt\":\"one\",\"max_tokens\":3}\n{\"input_length\":50,\"output_length\":5}\n"
                            "{\"messages\":[{\"role\":\"user\",\"content\":\"two\"}],\"max_tokens\":7}\n");
  EXPECT_EQ(output_tokens(*run), (std::vector<std::uint64_t>{3, 5, 7}));
}

TEST(WorkloadRun, TheNextLevelGoesOnWhereTheLastOneEnded) {
  running_simulator provider;
  const auto run = measured(provider, "m;tokens=40", {.concurrency = {1, 1}, .requests = 2},
                            "{\"prompt\":\"a\",\"max_tokens\":3}\n{\"prompt\":\"b\",\"max_tokens\":5}\n"
                            "{\"prompt\":\"c\",\"max_tokens\":7}\n");
  EXPECT_EQ(output_tokens(*run), (std::vector<std::uint64_t>{3, 5, 7, 3}));
}

TEST(WorkloadRun, ATraceIsReplayedWithItsTimingAtItsSpeed) {
  running_simulator provider;
  const auto run = measured(provider, "m", {.replay_speed = 2},
                            "{\"prompt\":\"a\",\"timestamp\":1000}\n{\"prompt\":\"b\",\"timestamp\":1100}\n"
                            "{\"prompt\":\"c\",\"timestamp\":1400}\n");
  std::vector<request_record> records;
  for (const request_record& each : run->levels().front().records)
    if (each.phase == run_phase::profiling) records.push_back(each);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].due_at - records[0].due_at, milliseconds(50));
  EXPECT_EQ(records[2].due_at - records[0].due_at, milliseconds(200));
  for (const request_record& each : records) EXPECT_GE(each.started_at, each.due_at) << "a timer is never early";
  EXPECT_NE(write_json(run->report()).find("\"replay_speed\": 2.0"), std::string::npos);
}

TEST(WorkloadRun, LateStartsAreReported) {
  running_simulator provider;
  const auto run = measured(provider, "m;ttft=50ms", {.concurrency = {1}},
                            "{\"prompt\":\"a\",\"timestamp\":0}\n{\"prompt\":\"b\",\"timestamp\":0}\n"
                            "{\"prompt\":\"c\",\"timestamp\":0}\n");
  const auto& late = run->report().levels.front().late;
  ASSERT_TRUE(late);
  EXPECT_GE(late->requests, 2u);
  EXPECT_GE(late->worst_ms, 100);
  bool is_said = false;
  for (const std::string& note : notes_of(run->report())) is_said |= note.find(" ms late: ") != std::string::npos;
  EXPECT_TRUE(is_said);
}

TEST(WorkloadRun, ACapCountsEachLinesOwnLength) {
  running_simulator provider;
  const auto run =
      measured(provider, "m;tokens=40", {.concurrency = {1}, .input_tokens = 16, .max_tokens = 1, .spending = {.max_tokens = 700}},
               "{\"prompt\":\"a\",\"max_tokens\":5}\n{\"prompt\":\"b\",\"max_tokens\":5000}\n");
  EXPECT_EQ(run->levels().front().end, level_end::spend_cap);
  EXPECT_EQ(output_tokens(*run), (std::vector<std::uint64_t>{5})) << "the second might have gone above the cap";
}

}  // namespace
}  // namespace photofinish::gateway::bench
