// Computes the cost of one attempt, as far as the cost is known. The winner's cost is computed from its usage. A
// loser's cost is an estimate of the amount that the provider bills for a cancelled attempt. [pure]
#pragma once

#include "metrics/observations.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/prices.hpp"
#include "proxy/providers/provider.hpp"

#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

// The gateway's estimate of a winner's tokens, for a winner that reported no usage. Usage is missing if the answer was
// cut, or if the provider never reports usage.
struct estimated_tokens {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

proxy::billed_tokens billed(const proxy::token_usage& usage);

metrics::cost winner_cost(const proxy::model_prices& prices, const proxy::stream_summary& summary,
                          const estimated_tokens& estimated, std::chrono::sys_seconds when);

metrics::cost loser_cost(const proxy::model_prices& prices, const metrics::lost_token_count& lost,
                         std::chrono::sys_seconds when);

// The unit in which a route's budget counts the cost of attempts, either money or tokens.
struct cost_rule {
  bool is_money = false;
  std::chrono::sys_seconds when;

  // Returns the cost of an attempt that read and wrote `tokens`. If the unit is money and `prices` is null, the cost is
  // 0.
  double of(const proxy::model_prices* prices, const proxy::billed_tokens& tokens) const;
};

// The expected cost of an attempt, computed before it runs: the cost if it wins, and the cost if it loses.
struct expected_cost {
  double win = 0, loss = 0;
};
expected_cost cost_of_attempt(const cost_rule& rule, const proxy::model_prices* prices, proxy::cancel_billing billing,
                              std::uint64_t input, std::uint64_t output);

}  // namespace photofinish::gateway
