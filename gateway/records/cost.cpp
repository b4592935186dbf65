#include "gateway/records/cost.hpp"

namespace photofinish::gateway {

metrics::cost winner_cost(const proxy::model_prices& prices, const proxy::stream_summary& summary,
                          const estimated_tokens& estimated, std::chrono::sys_seconds when) {
  proxy::billed_tokens tokens{.input = estimated.input, .output = estimated.output};
  if (summary.usage)
    tokens = {.input = summary.usage->input_tokens, .cached_input = summary.usage->cached_input_tokens,
              .output = summary.usage->output_tokens, .reasoning = summary.usage->reasoning_tokens};
  return {proxy::cost_usd(prices, tokens, when), metrics::cost_kind::winner};
}

metrics::cost loser_cost(const proxy::model_prices& prices, const metrics::lost_token_count& lost,
                         std::chrono::sys_seconds when) {
  const proxy::billed_tokens tokens{.input = lost.input_tokens, .output = lost.output_tokens};
  return {proxy::cost_usd(prices, tokens, when), metrics::cost_kind::loser};
}

}  // namespace photofinish::gateway
