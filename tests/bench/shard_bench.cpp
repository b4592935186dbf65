// Measures the cost of the metrics: how long a worker needs to record a finished request, and how long a scrape takes.
#include "metrics/exposition.hpp"

#include "tests/support/by_source.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::metrics {
namespace {

using namespace std::chrono_literals;

// Updates the metrics for a race of three attempts: a winner with a measured speed, and two losers.
void observe_race_of_three(benchmark::State& state) {
  series_budget budget;
  shard worker(budget);
  route_series& route = worker.declare_route("fast");
  const client_series& client = worker.client(none_label);
  target_series& groq = worker.declare_target("groq", "m");
  const attempt_observation attempts[] = {
      {.target = groq,
       .outcome = attempt_outcome::won,
       .connection = connection_kind::reused,
       .first_byte = 90ms,
       .ttft = 125ms,
       .output = reported_by_both(std::uint64_t{512}),
       .speed = reported_by_both(decode_sample{500, 1s})},
      {.target = worker.declare_target("cerebras", "m"),
       .outcome = attempt_outcome::lost,
       .connection = connection_kind::reused,
       .abandoned_after = 125ms,
       .cancel = 40us,
       .lost = lost_token_count{1000, 0, billing::stops}},
      {.target = worker.declare_target("lab", "m"),
       .outcome = attempt_outcome::lost,
       .connection = connection_kind::reused,
       .abandoned_after = 125ms,
       .cancel = 50us,
       .lost = lost_token_count{1000, 0, billing::unknown}},
  };
  const request_observation request{.route = route,
                                    .client = client,
                                    .ttft = 126ms,
                                    .duration = 1130ms,
                                    .overhead = 200us,
                                    .gen_ai = gen_ai_observation{.winner = groq,
                                                                 .ttft = 125ms,
                                                                 .time_per_output_token = 2ms,
                                                                 .duration = 1125ms,
                                                                 .input_tokens = 1000,
                                                                 .output_tokens = 512},
                                    .attempts = attempts};
  for (auto _ : state) {
    worker.observe(request);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(observe_race_of_three);

void observe_histogram(benchmark::State& state) {
  histogram<names::attempt_ttft> cells;
  double value = 0.0007;
  for (auto _ : state) {
    cells.observe(value);
    value = value > 100 ? 0.0007 : value * 1.7;  // changes the value, so that each observation falls into another bucket
  }
}
BENCHMARK(observe_histogram);

void find_target(benchmark::State& state) {
  series_budget budget;
  shard worker(budget);
  for (int i = 0; i < 100; ++i) worker.declare_target("groq", "vendor/model-" + std::to_string(i));
  for (auto _ : state) benchmark::DoNotOptimize(&worker.target("groq", "vendor/model-42"));
}
BENCHMARK(find_target);

// Measures the metrics page of a server with 8 workers and 20 targets that are all in use.
void scrape(benchmark::State& state) {
  series_budget budget;
  std::vector<std::unique_ptr<shard>> shards;
  std::vector<const shard*> views;
  for (int worker = 0; worker < 8; ++worker) {
    shard& made = *shards.emplace_back(std::make_unique<shard>(budget));
    views.push_back(&made);
    for (int i = 0; i < 20; ++i) {
      const attempt_observation attempts[] = {{.target = made.declare_target("groq", std::to_string(i)),
                                               .outcome = attempt_outcome::won,
                                               .first_byte = 90ms,
                                               .ttft = 125ms,
                                               .speed = reported_by_both(decode_sample{500, 1s})}};
      made.observe(
          {.route = made.route(direct_label), .client = made.client(none_label), .attempts = attempts});
    }
  }
  const exposition page({}, views);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = page.text().size();
  state.counters["page_bytes"] = static_cast<double>(bytes);
}
BENCHMARK(scrape)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace photofinish::metrics

BENCHMARK_MAIN();
