// Holds the options of the bench as plain data, as they were given on the command line. The file plan.hpp interprets
// them. [pure]
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

// The limits of a run in tokens and money, and the prices from which costs are computed.
struct bench_spending {
  std::optional<double> max_cost;  // the limit in USD for the cost of the whole run
  std::optional<double> price_in;  // the price of input tokens, in USD per million tokens
  std::optional<double> price_out;
  std::optional<double> price_cached;       // the price of cached input tokens; if there is none, price_in applies
  std::optional<std::uint64_t> max_tokens;  // the limit for the input and output tokens of the whole run together
};

struct bench_options {
  std::string model;    // the model to request; if empty, the first model that the endpoint lists
  std::string api_key;  // the API key; if it is empty, the key is read from an environment variable
  std::vector<std::string> headers;       // the additional header fields, each in the form "Name: value"
  std::vector<std::string> extra_inputs;  // the additional members of each request's body, each in the form
                                          // "name:value"

  // The numbers of concurrent requests, one for each level of a closed loop. If there are none, the levels are 1, 10,
  // 25 and 50.
  std::vector<std::size_t> concurrency;
  std::vector<double> rates;             // the rates in requests per second, one for each level of an open loop
  std::string arrivals = "poisson";
  // The number of requests per level. If none is given, the number depends on the concurrency or on `duration`.
  std::optional<std::size_t> requests;
  std::string duration;                  // the maximum duration of each level
  // The number of warm-up requests before each level. If none is given, it equals the number of concurrent requests.
  std::optional<std::size_t> warmup;
  std::string timeout = "2m";            // the time limit of each request

  std::size_t input_tokens = 256;
  std::size_t max_tokens = 128;
  // The prompts of the user, shared with the plan. Null if the bench generates prompts.
  std::shared_ptr<const workload> prompts;
  std::string order = "file";               // the order of the user's prompts: `file` or `shuffle`
  // The speed of a replay, which is only possible if the prompts have times. If none is given, the replay runs at the
  // original speed.
  std::optional<double> replay_speed;
  answer_mode mode = answer_mode::stream;
  std::optional<std::uint64_t> seed;     // the seed of random numbers; if none is given, each run gets a different seed

  bench_spending spending;
  // The limits within which a request counts as good, for example "time_to_first_token:100 inter_token_latency:3.4".
  std::string goodput;
};

}  // namespace photofinish::gateway::bench
