// Compares the results of `photofinish bench` with the known figures of a simulated provider. They must agree within 3 %.
#include "gateway/bench/load/bench_run.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using tests::running_simulator;
using namespace std::chrono_literals;

constexpr double tolerance = 0.03;

bench_plan plan_for(bench_options options) {
  options.input_tokens = 32;
  plan_result planned = make_plan(options, 1);
  for (const std::string& problem : planned.problems) ADD_FAILURE() << problem;
  return std::move(planned.plan);
}

endpoint at_port(std::uint16_t port) {
  auto found = find_endpoint("http://127.0.0.1:" + std::to_string(port), "", tests::table_environment{}.machine());
  return std::get<endpoint>(std::move(found));
}

// Runs the bench in the same way as the command does, against a simulator on a separate thread.
std::unique_ptr<bench_run> whole_run(std::uint16_t port, const std::string& model, const bench_options& options,
                                     token_counter count = {}) {
  auto run = std::make_unique<bench_run>(
      bench_setup{plan_for(options), at_port(port), model, std::move(count), "test"});
  run->run();
  return run;
}

std::unique_ptr<bench_run> measured(const running_simulator& provider, const std::string& model,
                                    const bench_options& options, token_counter count = {}) {
  auto run = whole_run(provider.port(), model, options, std::move(count));
  EXPECT_EQ(run->problem(), "");
  return run;
}

// Runs the load and the simulator on one thread, so that the simulator's
// records agree with the bench's measurements even on a busy machine.
class one_thread {
 public:
  one_thread(std::string model, const bench_options& options)
      : plan_(plan_for(options)), provider_(loop_, patient_ledger()) {
    request_context how;
    how.traits = {at_port(provider_.listen("127.0.0.1", 0)), std::move(model), plan_.mode, plan_.max_tokens, {}};
    how.timeout = plan_.timeout;
    driver_.emplace(loop_, over_, plan_, std::move(how));
    boost::asio::co_spawn(loop_, drive(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
    loop_.run();
  }

  const level_report& level() const { return level_; }
  std::size_t warmups() const { return plan_.levels.front().warmup; }

  // The median times of the profiling requests in milliseconds, computed from the simulator's records.
  double true_ttft() const {
    return median([](const simulator::sim_record& each) { return *each.first_token_at - each.received_at; });
  }
  double true_latency() const {
    return median([](const simulator::sim_record& each) { return each.ended_at - each.received_at; });
  }
  // The seconds from the first profiling request to the last, as the simulator recorded them.
  double true_duration() const {
    const auto records = profiling();
    auto last = records.front().ended_at;
    for (const auto& each : records) last = std::max(last, each.ended_at);
    auto first = records.front().received_at;
    for (const auto& each : records) first = std::min(first, each.received_at);
    return std::chrono::duration<double>(last - first).count();
  }
  std::vector<simulator::sim_record> profiling() const {
    auto records = provider_.ledger().records();
    std::stable_sort(records.begin(), records.end(),
                     [](const auto& a, const auto& b) { return a.received_at < b.received_at; });
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(warmups()));
    return records;
  }

 private:
  static simulator::sim_options patient_ledger() {
    auto options = running_simulator::instant_answers();
    options.kept_records = 1000;
    return options;
  }

  template <class Duration>
  double median(const Duration& of) const {
    std::vector<double> all;
    for (const auto& each : profiling()) all.push_back(std::chrono::duration<double, std::milli>(of(each)).count());
    return distribution_of(std::move(all))->p50;
  }

  boost::asio::awaitable<void> drive() {
    std::function<void(level_result)> keep = [this](level_result result) {
      level_ = report_of(result.level, result.end, result.records, plan_.goodput);
    };
    std::function<void(const load_level&)> ignore = [](const load_level&) {};
    co_await driver_->run(std::move(ignore), std::move(keep));
    co_await over_.stop();
    provider_.stop();
  }

  bench_plan plan_;
  boost::asio::io_context loop_{1};
  proxy::outbound over_{loop_};
  simulator::simulator provider_;
  std::optional<load_driver> driver_;
  level_report level_;
};

const level_report& only_level(const bench_run& run) {
  if (run.report().levels.size() != 1) throw std::runtime_error("not one level");
  return run.report().levels.front();
}

double p50(const level_report& level, const char* tag) {
  const metric* found = level.find(tag);
  return found && found->spread ? found->spread->p50 : -1;
}

double value(const level_report& level, const char* tag) {
  const metric* found = level.find(tag);
  return found ? found->avg : -1;
}

void expect_within(double truth, double reported, const char* what) {
  EXPECT_NEAR(reported, truth, truth * tolerance) << what;
}

TEST(Bench, AgreesWithTheTruthOfAStream) {
  const one_thread run("m;ttft=600ms;tps=40;tokens=41", {.concurrency = {4}, .requests = 8});
  const level_report& level = run.level();
  EXPECT_EQ(level.succeeded, 8u);
  const double decode_ms = run.true_latency() - run.true_ttft();
  expect_within(run.true_ttft(), p50(level, "time_to_first_token"), "TTFT");
  expect_within(decode_ms / 40, p50(level, "inter_token_latency"), "ITL");
  expect_within(40'000 / decode_ms, p50(level, "output_token_throughput_per_user"), "tok/s per user");
  expect_within(run.true_latency(), p50(level, "request_latency"), "latency");
  expect_within(8 / run.true_duration(), value(level, "request_throughput"), "req/s");
  expect_within(8 * 41 / run.true_duration(), value(level, "output_token_throughput"), "tok/s");
  EXPECT_DOUBLE_EQ(p50(level, "output_sequence_length"), 41);
  EXPECT_EQ(level.fresh_connections, 0u) << "the warm-up has opened them";
  EXPECT_GE(p50(level, "time_to_first_token"), 600) << "a simulator is never early";
  EXPECT_GE(p50(level, "request_latency"), 1600);
}

TEST(Bench, ManyTokensInAChunkAreNoFasterThanTheyAre) {
  const one_thread run("m;ttft=100ms;tps=50;tokens=60;chunk=10", {.concurrency = {2}, .requests = 4});
  const double decode_ms = run.true_latency() - run.true_ttft();  // the duration of the 50 tokens after the first chunk, in milliseconds
  expect_within(50'000 / decode_ms, p50(run.level(), "output_token_throughput_per_user"), "tok/s per user");
  expect_within(decode_ms / 50, p50(run.level(), "inter_token_latency"), "ITL");
}

TEST(Bench, AgreesWithTheTruthOfWholeAnswers) {
  const one_thread run("m;ttft=500ms;tps=100;tokens=51",
                       {.concurrency = {2}, .requests = 4, .mode = answer_mode::whole});
  expect_within(run.true_latency(), p50(run.level(), "request_latency"), "latency");
  EXPECT_GE(p50(run.level(), "request_latency"), 1000);
  EXPECT_DOUBLE_EQ(p50(run.level(), "output_sequence_length"), 51);
  EXPECT_EQ(run.level().find("time_to_first_token"), nullptr);
}

TEST(Bench, CountsAsManyErrorsAsThereWere) {
  const one_thread run("m;status=503;fault_share=0.3", {.concurrency = {8}, .requests = 200, .warmup = 0});
  const auto records = run.profiling();
  ASSERT_EQ(records.size(), 200u);
  const auto refused = std::count_if(records.begin(), records.end(), [](const simulator::sim_record& each) {
    return each.ended == simulator::sim_end::refused;
  });
  EXPECT_GT(refused, 20);
  EXPECT_EQ(run.level().failed, static_cast<std::size_t>(refused));
  EXPECT_EQ(run.level().succeeded, 200u - run.level().failed);
  EXPECT_EQ(run.level().errors.at(0).code, 503);
}

TEST(Bench, AnOpenLoopCountsFromTheScheduledTime) {
  bench_options options{.concurrency = {1}, .rates = {10}, .requests = 4, .warmup = 1};
  options.arrivals = "constant";
  const one_thread run("m;ttft=500ms;tps=0;tokens=20", options);
  // Requests are due at 0, 100, 200 and 300 ms, but are answered one after another. The last answer ends 2000 ms after the start.
  const double all_ms = 1000 * run.true_duration();
  expect_within(all_ms - 300, run.level().find("time_to_first_token")->spread->max, "TTFT of the last");
  EXPECT_GE(run.level().find("credit_to_start_latency")->spread->max, 1200);
  EXPECT_GE(all_ms, 2000);
}

TEST(Bench, AnOpenLoopSendsAtItsRate) {
  bench_options options{.rates = {20}, .requests = 40};
  options.arrivals = "constant";
  const one_thread run("m;ttft=300ms;tps=0;tokens=20", options);
  EXPECT_GE(run.true_duration(), 39.0 / 20) << "the last answer's time is more than the first request may be late";
  expect_within(run.true_duration(), value(run.level(), "benchmark_duration"), "duration");
  EXPECT_GE(p50(run.level(), "time_to_first_token"), run.true_ttft());
  // The measured latency includes the delay of requests that start late.
  const double latest_start = run.level().find("credit_to_start_latency")->spread->max;
  EXPECT_LE(p50(run.level(), "time_to_first_token"), (latest_start + run.true_ttft()) * (1 + tolerance));
}

TEST(Bench, StopsBeforeACapOnTokens) {
  running_simulator provider;
  const auto run =
      measured(provider, "m", {.concurrency = {2, 4}, .requests = 500, .max_tokens = 8, .spending = {.max_tokens = 3000}});
  EXPECT_LE(run->report().used.input + run->report().used.output, 3000u);
  EXPECT_GT(run->report().used.input + run->report().used.output, 2500u);
  EXPECT_EQ(only_level(*run).end, level_end::spend_cap) << "the next level does not even begin";
}

TEST(Bench, SaysThatThereIsNoUsageInsteadOfGuessing) {
  running_simulator provider;
  const auto run = measured(provider, "m;usage=never;tokens=40", {.concurrency = {1}, .requests = 5});
  EXPECT_EQ(only_level(*run).without_usage, 5u);
  EXPECT_EQ(only_level(*run).find("output_token_throughput"), nullptr);
  EXPECT_GE(p50(only_level(*run), "time_to_first_token"), 0);
}

TEST(Bench, AsksTheTokenizerWhereThereIsNoUsage) {
  running_simulator provider;
  const token_counter count = [](std::string_view text) { return text.empty() ? 0u : 40u; };
  const auto run = measured(provider, "m;usage=never;tokens=40", {.concurrency = {1}, .requests = 5}, count);
  EXPECT_EQ(only_level(*run).by_tokenizer, 5u);
  EXPECT_DOUBLE_EQ(p50(only_level(*run), "output_sequence_length"), 40);
}

TEST(Bench, TakesTheFirstModelThatIsListed) {
  running_simulator provider;
  const auto run = measured(provider, "", {.concurrency = {1}, .requests = 2});
  EXPECT_EQ(run->report().model, "sim-model");
}

TEST(Bench, GivesUpAtOnceWhereNobodyCanBeReached) {
  std::uint16_t port = 0;
  {
    running_simulator gone;
    port = gone.port();
  }
  EXPECT_NE(whole_run(port, "m", {})->problem().find("cannot reach"), std::string::npos);
}

TEST(Bench, NoErrorRepeatsAKey) {
  auto options = running_simulator::instant_answers();
  options.required_key = "another";
  running_simulator provider(options);
  endpoint to = at_port(provider.port());
  to.key = proxy::secret("sk-very-secret-key");
  to.key_origin = "--api-key";
  bench_run run({plan_for({}), std::move(to), "m", {}, "test"});
  run.run();
  EXPECT_NE(run.problem().find("refuses the key (HTTP 401)"), std::string::npos) << run.problem();
  EXPECT_EQ(run.problem().find("sk-very"), std::string::npos) << run.problem();
}

TEST(Bench, LimitsARequestsTime) {
  running_simulator provider;
  bench_options options{.concurrency = {1}, .requests = 2, .warmup = 0};
  options.timeout = "200ms";
  const auto run = measured(provider, "m;hang", options);
  ASSERT_EQ(only_level(*run).errors.size(), 1u);
  EXPECT_EQ(only_level(*run).errors[0].type, "timeout");
  EXPECT_EQ(run->warnings().size(), 1u) << "the one that was tried first";
}

TEST(Bench, AwayFromATerminalEachLevelSaysThatItBeginsAndEnds) {
  running_simulator provider;
  ::testing::internal::CaptureStderr();  // into a file
  const auto run = whole_run(provider.port(), "m", {.concurrency = {1, 2}, .requests = 3, .warmup = 1});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "concurrency 1: 1 warm-up request, then 3 requests\nconcurrency 1: 3 answered\n"
            "concurrency 2: 1 warm-up request, then 3 requests\nconcurrency 2: 3 answered\n");
}

TEST(Bench, CtrlCEndsWithWhatHasBeenMeasured) {
  running_simulator provider;
  std::thread user([&provider] {
    while (provider.ledger().requests() < 20) std::this_thread::sleep_for(1ms);
    ::kill(::getpid(), SIGINT);
  });
  const auto run = measured(provider, "m;ttft=20ms;tokens=4", {.concurrency = {2}, .requests = 100'000});
  user.join();
  EXPECT_EQ(only_level(*run).end, level_end::interrupted);
  EXPECT_GT(only_level(*run).succeeded, 10u);
  EXPECT_LE(only_level(*run).cancelled, 2u);
  EXPECT_TRUE(run->report().was_cancelled());
  EXPECT_EQ(run->interrupted_by(), SIGINT);
}

}  // namespace
}  // namespace photofinish::gateway::bench
