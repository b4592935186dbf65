// The options of the bench, as the command line gave them. Plain data; plan.hpp interprets them. [pure]
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
  std::optional<double> price_in;  // USD per million tokens
  std::optional<double> price_out;
  std::optional<double> price_cached;       // none: the same as price_in
  std::optional<std::uint64_t> max_tokens;  // the limit of the whole run for input and output tokens together
};

struct bench_options {
  std::string model;    // empty: the first model that the endpoint lists
  std::string api_key;  // empty: the variable of the known provider with this URL, otherwise OPENAI_API_KEY
  std::vector<std::string> headers;       // each is "Name: value"
  std::vector<std::string> extra_inputs;  // each is name:value, added to each request's body

  std::vector<std::size_t> concurrency;  // closed loop, one level each; empty: 1, 10, 25, 50
  std::vector<double> rates;             // open loop, requests per second, one level each
  std::string arrivals = "poisson";
  std::optional<std::size_t> requests;   // per level; none: depends on the concurrency, or on `duration`
  std::string duration;                  // the longest time of each level
  std::optional<std::size_t> warmup;     // requests before each level; none: as many as run at the same time
  std::string timeout = "2m";            // the time limit of each request

  std::size_t input_tokens = 256;
  std::size_t max_tokens = 128;
  std::shared_ptr<const workload> prompts;  // read once, shared with the plan; null: prompts are generated
  std::string order = "file";               // order of those prompts: file or shuffle
  std::optional<double> replay_speed;       // only for prompts with times; none: 1
  answer_mode mode = answer_mode::stream;
  std::optional<std::uint64_t> seed;     // none: each run has a different seed

  bench_spending spending;
  std::string goodput;                   // for example "time_to_first_token:100 inter_token_latency:3.4"
};

}  // namespace photofinish::gateway::bench
