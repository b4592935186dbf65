#include "gateway/records/cost.hpp"

#include <algorithm>

namespace photofinish::gateway {

proxy::billed_tokens billed(const proxy::token_usage& usage) {
  return {.input = usage.input_tokens,
          .cached_input = usage.cached_input_tokens,
          .written_input = usage.written_input_tokens,
          .written_for_hour = usage.written_for_hour_tokens,
          .output = usage.output_tokens,
          .reasoning = usage.reasoning_tokens};
}

metrics::cost winner_cost(const proxy::model_prices& prices, const proxy::stream_summary& summary,
                          const estimated_tokens& estimated, std::chrono::sys_seconds when) {
  proxy::billed_tokens tokens{.input = estimated.input, .output = estimated.output};
  if (summary.usage)
    tokens = billed(*summary.usage);
  return {proxy::cost_usd(prices, tokens, when), metrics::cost_kind::winner};
}

metrics::cost loser_cost(const proxy::model_prices& prices, const metrics::lost_token_count& lost,
                         std::chrono::sys_seconds when) {
  const proxy::billed_tokens tokens{.input = lost.input_tokens, .output = lost.output_tokens};
  return {proxy::cost_usd(prices, tokens, when), metrics::cost_kind::loser};
}

double cost_rule::of(const proxy::model_prices* prices, const proxy::billed_tokens& tokens) const {
  // If the prices are unknown, a token of an answer is assumed to cost this many times as much as a token of a prompt.
  constexpr double output_weight = 4;
  if (is_money) return prices ? proxy::cost_usd(*prices, tokens, when) : 0;
  return static_cast<double>(tokens.input) + output_weight * static_cast<double>(tokens.output);
}

expected_cost cost_of_attempt(const cost_rule& rule, const proxy::model_prices* prices, proxy::cancel_billing billing,
                              std::uint64_t input, std::uint64_t output) {
  // The number of tokens that a losing attempt is assumed to write before it is cancelled. The number matters only if
  // the provider stops billing when an attempt is cancelled.
  constexpr std::uint64_t tokens_of_loser = 20;
  const std::uint64_t lost = billing == proxy::cancel_billing::stops ? std::min(tokens_of_loser, output) : output;
  return {rule.of(prices, {.input = input, .output = output}), rule.of(prices, {.input = input, .output = lost})};
}

}  // namespace photofinish::gateway
