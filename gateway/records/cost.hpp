// What one attempt cost, as far as it can be known. [pure]
// A winner's cost is what its usage comes to; a loser's is an estimate of what its provider bills all the same.
#pragma once

#include "metrics/observations.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/prices.hpp"

#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

// Of a winner that reported no usage (it was cut, or never reports any): what we know of its prompt and its text.
struct estimated_tokens {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

metrics::cost winner_cost(const proxy::model_prices& prices, const proxy::stream_summary& summary,
                          const estimated_tokens& estimated, std::chrono::sys_seconds when);

metrics::cost loser_cost(const proxy::model_prices& prices, const metrics::lost_token_count& lost,
                         std::chrono::sys_seconds when);

}  // namespace photofinish::gateway
