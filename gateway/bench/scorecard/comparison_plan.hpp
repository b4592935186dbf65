// Plans a comparison of several endpoints and input sizes in one run: the requests and their order. [pure] Decision 55
// explains why requests to the endpoints alternate.
#pragma once

#include "gateway/bench/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

// The maximum number of endpoints. Charts have only eight colours.
inline constexpr std::size_t most_endpoints = 8;
inline constexpr std::size_t most_sizes = 8;
// The value that means "the user's own prompts" instead of an input size.
inline constexpr std::size_t own_prompts = 0;

struct comparison_plan {
  // The settings that are the same for all endpoints and input sizes, such as the concurrency and the number of
  // requests.
  bench_plan common;
  // The input sizes in ascending order. If the bench sends the user's own prompts, the list contains only
  // `own_prompts`.
  std::vector<std::size_t> input_tokens;
  std::size_t rounds = 0;
};

struct comparison_result {
  comparison_plan plan;
  std::vector<std::string> problems;  // the errors, each with the name of its option
};

// Makes the plan of a comparison of the given number of endpoints. Without --concurrency, only one request runs at a
// time.
comparison_result make_comparison(bench_options options, const std::vector<std::size_t>& input_tokens,
                                  std::size_t endpoints, std::uint64_t fresh_seed);

// A turn of the comparison, in which the requests go to one endpoint at one input size.
struct turn {
  std::size_t endpoint = 0;
  std::size_t size = 0;  // the index of the input size in `input_tokens`
  std::size_t requests = 0;

  bool operator==(const turn&) const = default;
};

// Returns the turns of one round. A round contains each endpoint once for each input size. The order differs between
// rounds, so that an endpoint does not always follow the same other endpoint.
std::vector<turn> turns_of(const comparison_plan& plan, std::size_t endpoints, std::size_t round);

// A URL and a model that were parsed from a text such as "https://api.groq.com/openai/v1#llama-3". The model may be
// missing.
struct named_endpoint {
  std::string url;
  std::string model;
};
named_endpoint split_endpoint(const std::string& text);

// Checks how often an option is given if there are several URLs. The option must be given once for each URL, or never.
// Returns an error text, or an empty text if the number is valid.
std::string wrong_count(const char* option, std::size_t values, std::size_t endpoints);

// Returns the letter that stands for an endpoint in tables and charts: "A", "B".
std::string letter_of(std::size_t endpoint);

}  // namespace photofinish::gateway::bench
