// Several endpoints, several input sizes, one run: who is asked what, and in which order. [pure]
// Decision 55 says why the turns are interleaved.
#pragma once

#include "gateway/bench/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr std::size_t most_endpoints = 8;  // the charts' colours
inline constexpr std::size_t most_sizes = 8;
inline constexpr std::size_t own_prompts = 0;  // in place of a size

struct comparison_plan {
  bench_plan common;  // one level: how many run at once, and how many each endpoint gets at each size
  std::vector<std::size_t> input_tokens;  // ascending; `own_prompts` alone for a workload of the user's
  std::size_t rounds = 0;
};

struct comparison_result {
  comparison_plan plan;
  std::vector<std::string> problems;  // as of plan_result
};

// Without --concurrency one request runs at a time. `endpoints` is their number.
comparison_result make_comparison(bench_options options, const std::vector<std::size_t>& input_tokens,
                                  std::size_t endpoints, std::uint64_t fresh_seed);

// An endpoint is asked, at one size.
struct turn {
  std::size_t endpoint = 0;
  std::size_t size = 0;  // index in input_tokens
  std::size_t requests = 0;

  bool operator==(const turn&) const = default;
};

// One round: each endpoint at each size once, in an order of its own, so that no endpoint always follows the same one.
std::vector<turn> turns_of(const comparison_plan& plan, std::size_t endpoints, std::size_t round);

// "https://api.groq.com/openai/v1#llama-3" -> the URL, the model; no model where none is named.
struct named_endpoint {
  std::string url;
  std::string model;
};
named_endpoint split_endpoint(const std::string& text);

// What is wrong with values that were given for several URLs; empty: nothing is. One for each, or none.
std::string wrong_count(const char* option, std::size_t values, std::size_t endpoints);

// "A", "B": how tables and charts call an endpoint.
std::string letter_of(std::size_t endpoint);

}  // namespace photofinish::gateway::bench
