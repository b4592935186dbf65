// Holds the options of the bench, as the command line gave them. Plain data, which plan.hpp interprets. [pure]
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

// The limits of a run in tokens and money, and the prices for its costs.
struct bench_spending {
  std::optional<double> max_cost;  // the limit of the whole run in USD
  std::optional<double> price_in;  // the price of input tokens, in USD per million tokens
  std::optional<double> price_out;
  std::optional<double> price_cached;       // the price of cached input tokens; if none, the same as price_in
  std::optional<std::uint64_t> max_tokens;  // the limit of the whole run for input and output tokens together
};

struct bench_options {
  std::string model;    // the model to request; if empty, the first model that the endpoint lists
  std::string api_key;  // the key; if empty, the variable of the URL's known provider, otherwise OPENAI_API_KEY
  std::vector<std::string> headers;       // the additional headers, each as "Name: value"
  std::vector<std::string> extra_inputs;  // the additional members of each request's body, each as name:value

  std::vector<std::size_t> concurrency;  // the levels of a closed loop, one for each number; if empty: 1, 10, 25, 50
  std::vector<double> rates;             // the levels of an open loop, one for each rate, in requests per second
  std::string arrivals = "poisson";
  // The requests per level; if none, they depend on the concurrency or on `duration`.
  std::optional<std::size_t> requests;
  std::string duration;                  // the maximum duration of each level
  // The warm-up requests before each level; if none, as many as run at the same time.
  std::optional<std::size_t> warmup;
  std::string timeout = "2m";            // the time limit of each request

  std::size_t input_tokens = 256;
  std::size_t max_tokens = 128;
  std::shared_ptr<const workload> prompts;  // the user's prompts, shared with the plan; null if prompts are generated
  std::string order = "file";               // the order of the user's prompts: file or shuffle
  // The speed of a replay, only for prompts with times; if none, the speed is 1.
  std::optional<double> replay_speed;
  answer_mode mode = answer_mode::stream;
  std::optional<std::uint64_t> seed;     // the seed of random numbers; if none, each run has a different seed

  bench_spending spending;
  // The goodput limits, for example "time_to_first_token:100 inter_token_latency:3.4".
  std::string goodput;
};

}  // namespace photofinish::gateway::bench
