// Interprets the options of the bench. Returns levels, limits and prices, or all errors in the options. [pure]
#pragma once

#include "gateway/probes/chance.hpp"
#include "gateway/bench/goodput.hpp"
#include "gateway/bench/options.hpp"
#include "gateway/bench/spend_guard.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway::bench {

// One point of the load curve. A closed loop keeps `concurrency` requests running. An open loop sends requests at
// `rate`, independently of the answers, but never has more than `concurrency` requests running.
struct load_level {
  std::size_t concurrency = 1;
  std::optional<double> rate;           // the requests per second; none for a closed loop or a replay
  std::optional<double> replay_speed;   // the speed of a replay; none for any other level
  std::optional<std::size_t> requests;  // the number of requests; none if the level runs until its duration is over
  std::size_t warmup = 0;

  std::string name() const;  // returns a name such as "concurrency 10", "rate 2.5/s" or "replay at speed 2"
  bool is_open() const { return rate || replay_speed; }
};

struct bench_plan {
  std::vector<load_level> levels;
  arrival_pattern arrivals = arrival_pattern::poisson;
  std::optional<std::chrono::microseconds> duration;  // the maximum duration of each level
  std::chrono::microseconds timeout{};                // the time limit of each request
  answer_mode mode = answer_mode::stream;
  std::size_t input_tokens = 0;
  std::size_t max_tokens = 0;
  std::shared_ptr<const workload> prompts;  // the prompts of the user, the same object as `prompts` in the options
  prompt_order order = prompt_order::file;
  std::uint64_t order_seed = 0;
  std::uint64_t seed = 0;
  spend_limits spending;
  std::vector<goodput_limit> goodput;
  std::vector<std::pair<std::string, std::string>> headers;
  // Members that are added to each request's body: pairs of a name and a JSON value.
  std::vector<std::pair<std::string, std::string>> extra_members;
};

struct plan_result {
  bench_plan plan;
  std::vector<std::string> problems;  // the errors, each with the name of its option; empty if the plan is valid
};

// Makes the plan of a run. `fresh_seed` is the seed of the run if the options contain no seed.
plan_result make_plan(const bench_options& options, std::uint64_t fresh_seed);

// Computes the due times of an open loop's requests, counted from the start of the level. The first time is 0, and the
// times increase.
class arrival_clock {
 public:
  arrival_clock(double rate_per_second, arrival_pattern pattern, std::uint64_t seed)
      : mean_seconds_(1 / rate_per_second), pattern_(pattern), draw_(seed) {}

  std::chrono::nanoseconds next();

 private:
  double mean_seconds_;
  arrival_pattern pattern_;
  chance draw_;
  double next_seconds_ = 0;
};

}  // namespace photofinish::gateway::bench
