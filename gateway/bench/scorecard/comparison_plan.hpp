// The plan of a comparison with several endpoints and input sizes in one run: the requests and their order. [pure]
// Decision 55 explains why the turns are interleaved.
#pragma once

#include "gateway/bench/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr std::size_t most_endpoints = 8;  // charts have this number of colours
inline constexpr std::size_t most_sizes = 8;
inline constexpr std::size_t own_prompts = 0;  // used in place of a size for prompts of the user

struct comparison_plan {
  bench_plan common;  // one level: the concurrency, and the requests for each endpoint and size
  std::vector<std::size_t> input_tokens;  // ascending; only `own_prompts` for a user's workload
  std::size_t rounds = 0;
};

struct comparison_result {
  comparison_plan plan;
  std::vector<std::string> problems;  // the problems, as in plan_result
};

// Without --concurrency, one request runs at a time. `endpoints` is the number of endpoints.
comparison_result make_comparison(bench_options options, const std::vector<std::size_t>& input_tokens,
                                  std::size_t endpoints, std::uint64_t fresh_seed);

// One endpoint's requests at one size.
struct turn {
  std::size_t endpoint = 0;
  std::size_t size = 0;  // the index in input_tokens
  std::size_t requests = 0;

  bool operator==(const turn&) const = default;
};

// Returns one round: each endpoint at each size once. Each round has its own order, so that no endpoint always follows
// the same one.
std::vector<turn> turns_of(const comparison_plan& plan, std::size_t endpoints, std::size_t round);

// Splits "https://api.groq.com/openai/v1#llama-3" into URL and model. The model may be missing.
struct named_endpoint {
  std::string url;
  std::string model;
};
named_endpoint split_endpoint(const std::string& text);

// Checks the number of values of an option for several URLs: one for each URL, or none. Returns an error text; empty:
// valid.
std::string wrong_count(const char* option, std::size_t values, std::size_t endpoints);

// The letter of an endpoint in tables and charts: "A", "B".
std::string letter_of(std::size_t endpoint);

}  // namespace photofinish::gateway::bench
