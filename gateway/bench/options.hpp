// What the user asked of the bench, as the command line gave it. Plain data; plan.hpp makes sense of it. [pure]
#pragma once

#include "gateway/bench/workload/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

enum class answer_mode { stream, whole };
enum class arrival_pattern { poisson, constant };

// The limits of a run in tokens and money, and the prices that it counts by.
struct bench_spending {
  std::optional<double> max_cost;  // USD, of the whole run
  std::optional<double> price_in;  // USD per million tokens
  std::optional<double> price_out;
  std::optional<double> price_cached;       // none: as price_in
  std::optional<std::uint64_t> max_tokens;  // input and output of the whole run
};

struct bench_options {
  std::string model;    // empty: the first that the endpoint lists
  std::string api_key;  // empty: the variable of the known provider with its URL, else OPENAI_API_KEY
  std::vector<std::string> headers;       // Name: value
  std::vector<std::string> extra_inputs;  // name:value, into each request's body

  std::vector<std::size_t> concurrency;  // closed loop, one level each; empty: 1, 10, 25, 50
  std::vector<double> rates;             // open loop, requests per second, one level each
  std::string arrivals = "poisson";
  std::optional<std::size_t> requests;   // per level; none: by concurrency, or until `duration` is over
  std::string duration;                  // per level
  std::optional<std::size_t> warmup;     // requests before each level; none: as many as run at once
  std::string timeout = "2m";            // of one request

  std::size_t input_tokens = 256;
  std::size_t max_tokens = 128;
  std::shared_ptr<const workload> prompts;  // copied with the options and the plan, read once; null: prompts are made
  std::string order = "file";               // of those prompts: file or shuffle
  std::optional<double> replay_speed;       // of those that have times; none: 1
  answer_mode mode = answer_mode::stream;
  std::optional<std::uint64_t> seed;     // none: another one in each run

  bench_spending spending;
  std::string goodput;                   // "time_to_first_token:100 inter_token_latency:3.4"
};

}  // namespace photofinish::gateway::bench
