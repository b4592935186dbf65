// What one attempt cost, as far as it can be known. [pure]
// A winner's cost is what its usage comes to; a loser's is an estimate of what its provider bills all the same.
#pragma once

#include "metrics/observations.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/prices.hpp"
#include "proxy/providers/provider.hpp"

#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

// Of a winner that reported no usage (it was cut, or never reports any): what we know of its prompt and its text.
struct estimated_tokens {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

proxy::billed_tokens billed(const proxy::token_usage& usage);

metrics::cost winner_cost(const proxy::model_prices& prices, const proxy::stream_summary& summary,
                          const estimated_tokens& estimated, std::chrono::sys_seconds when);

metrics::cost loser_cost(const proxy::model_prices& prices, const metrics::lost_token_count& lost,
                         std::chrono::sys_seconds when);

// How attempts count in a route's budget: in money or in tokens.
struct cost_rule {
  bool is_money = false;
  std::chrono::sys_seconds when;

  // Of an attempt that read and wrote so much. `prices` null: it costs no money.
  double of(const proxy::model_prices* prices, const proxy::billed_tokens& tokens) const;
};

// Of an attempt before it runs, when it wins and when it loses.
struct expected_cost {
  double win = 0, loss = 0;
};
expected_cost cost_of_attempt(const cost_rule& rule, const proxy::model_prices* prices, proxy::cancel_billing billing,
                              std::uint64_t input, std::uint64_t output);

}  // namespace photofinish::gateway
