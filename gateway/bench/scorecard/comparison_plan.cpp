#include "gateway/bench/scorecard/comparison_plan.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

constexpr std::size_t default_requests = 20;

void complain_of_load(const bench_options& options, std::vector<std::string>& problems) {
  if (!options.rates.empty()) problems.push_back("--rate: works only with one endpoint and one --input-tokens size");
  if (options.concurrency.size() > 1)
    problems.push_back("--concurrency: accepts only one number if several endpoints or sizes are compared");
  if (options.prompts && options.prompts->has_times() && options.rates.empty())
    problems.push_back("--prompts: a file with timestamps works only with one endpoint");
  if (!options.goodput.empty())
    problems.push_back("--goodput: works only with one endpoint and one --input-tokens size");
}

}  // namespace

comparison_result make_comparison(bench_options options, const std::vector<std::size_t>& input_tokens,
                                  std::size_t endpoints, std::uint64_t fresh_seed) {
  comparison_result result;
  if (endpoints > most_endpoints)
    result.problems.push_back("URL: one run compares at most " + std::to_string(most_endpoints) + " endpoints");
  complain_of_load(options, result.problems);
  if (!result.problems.empty()) return result;
  std::vector<std::size_t> sizes = options.prompts ? std::vector{own_prompts} : input_tokens;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.empty() || sizes.size() > most_sizes)
    result.problems.push_back("--input-tokens: give from 1 to " + std::to_string(most_sizes) + " sizes");
  if (options.concurrency.empty()) options.concurrency = {1};
  if (!options.requests) options.requests = std::max(default_requests, 5 * options.concurrency.front());
  // Removes the cost limit from the options. make_plan() would refuse a cost limit without a price, but the price of
  // the model may become known later.
  const auto max_cost = std::exchange(options.spending.max_cost, std::nullopt);
  for (const std::size_t size : sizes) {
    if (!options.prompts) options.input_tokens = size;
    plan_result one = make_plan(options, fresh_seed);
    result.plan.common = std::move(one.plan);
    if (one.problems.empty()) continue;
    result.problems.insert(result.problems.end(), one.problems.begin(), one.problems.end());
    return result;
  }
  if (max_cost && !(*max_cost >= 0)) result.problems.push_back("--max-cost: must be a non-negative amount in USD");
  result.plan.common.spending.max_cost_usd = max_cost;
  result.plan.input_tokens = std::move(sizes);
  const std::size_t at_once = options.concurrency.front();
  if (at_once > 0) result.plan.rounds = (*options.requests + at_once - 1) / at_once;
  return result;
}

std::vector<turn> turns_of(const comparison_plan& plan, std::size_t endpoints, std::size_t round) {
  const load_level& level = plan.common.levels.front();
  const std::size_t asked = round * level.concurrency;
  const std::size_t requests = std::min(level.concurrency, level.requests.value_or(0) - asked);
  std::vector<turn> turns;
  for (std::size_t size = 0; size < plan.input_tokens.size(); ++size)
    for (std::size_t endpoint = 0; endpoint < endpoints; ++endpoint) turns.push_back({endpoint, size, requests});
  chance draw(mixed_seed(plan.common.seed, round));
  for (std::size_t left = turns.size(); left > 1; --left) std::swap(turns[left - 1], turns[draw.below(left)]);
  return turns;
}

named_endpoint split_endpoint(const std::string& text) {
  const std::size_t hash = text.find('#');
  if (hash == std::string::npos) return {text, {}};
  return {text.substr(0, hash), text.substr(hash + 1)};
}

std::string wrong_count(const char* option, std::size_t values, std::size_t endpoints) {
  if (values == 0 || values == endpoints) return {};
  return std::string(option) + ": give one value for each URL, in the order of the URLs. Needed: " +
         std::to_string(endpoints) + ", given: " + std::to_string(values);
}

std::string letter_of(std::size_t endpoint) { return std::string(1, static_cast<char>('A' + endpoint)); }

}  // namespace photofinish::gateway::bench
