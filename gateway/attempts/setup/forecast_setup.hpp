// Makes the request's part of a plan by speed: its prompt, its load, and the possible cost of its answer at each
// target. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"
#include "gateway/limits/bounds/usage_bounds.hpp"
#include "gateway/records/cost.hpp"
#include "proxy/providers/prices.hpp"
#include "racing/speed_planner.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace photofinish::gateway {

class prefix_memory;

// The sources of the forecast. They are borrowed for the call, except the board.
struct speed_source {
  std::shared_ptr<const racing::forecast_board> board;
  // Returns the number of this gateway's attempts in flight at a target.
  std::function<double(const target_name&)> in_flight;
  // Returns a target's prices, or null if they are unknown. The prices are valid as long as the request's settings.
  std::function<const proxy::model_prices*(const target_name&)> prices_of;
  std::chrono::sys_seconds when;
  double draw = 1;  // a random number from 0 to 1, uniformly distributed
  // Returns true if the provider has reported that the rate limits of the target's key are used up. Null if nothing is
  // known.
  std::function<bool(const race_candidate&)> is_full = {};
  // Identifies the caller; called only if the race follows prompt caches.
  std::function<std::string()> caller_digest = {};
  prefix_memory* prefixes = nullptr;  // the content of prompt caches; null if it is unknown
};

// The known figures of the request before it runs.
std::uint64_t input_tokens_of(const parsed_request& asked);       // returns an estimate of the prompt's tokens
// Returns the limit of the answer's tokens, if the request has a limit.
std::optional<std::uint64_t> max_tokens_of(const parsed_request& asked);
// Returns the tokens that an attempt may use, as providers count them in advance. A caller's huge limit must not make
// its target look full for long. `extent` is the request's own extent.
std::uint64_t tokens_of_attempt(const parsed_request& asked, const request_extent& extent);

struct forecast_setup {
  racing::forecast_terms terms;
  std::vector<const proxy::model_prices*> prices;    // the prices, one entry per row
  std::vector<proxy::cancel_billing> billing;        // the billing of cancelled attempts, one entry per row
  cost_rule costs;
};

// Identifies the key whose failures count at the target. Returns 0 for the configured key.
std::uint64_t key_print(const race_candidate& each);

// Makes the forecast's setup. Returns null if nothing is known about the route.
std::unique_ptr<forecast_setup> set_up_forecast(const speed_source& from, const parsed_request& asked,
                                                std::span<const race_candidate> candidates, const std::string& route,
                                                racing::instant now);

}  // namespace photofinish::gateway
