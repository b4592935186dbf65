// Computes the input for a plan that chooses targets by speed. The input describes one request: its prompt, the current
// load, and the possible cost of its answer at each target. [pure]
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

// The data from which a request's forecast is computed. References are valid only during the call, except for the
// pointer to the forecast.
struct speed_source {
  std::shared_ptr<const racing::forecast_board> board;
  // Returns the number of this gateway's attempts in flight at a target.
  std::function<double(const target_name&)> in_flight;
  // Returns a target's prices, or null if they are unknown. The prices are valid as long as the request's settings.
  std::function<const proxy::model_prices*(const target_name&)> prices_of;
  std::chrono::sys_seconds when;
  double draw = 1;  // a random number from 0 to 1, uniformly distributed
  // Returns true if the provider has reported that the key has used up its rate limits at this target. The function is
  // null if nothing is known about rate limits.
  std::function<bool(const race_candidate&)> is_full = {};
  // Returns a digest that identifies the caller. Only called if the race considers prompt caches.
  std::function<std::string()> caller_digest = {};
  // The gateway's record of cached prompts at the targets; null if the gateway keeps no such record.
  prefix_memory* prefixes = nullptr;
};

// The following functions estimate the tokens of a request before it is sent.
std::uint64_t input_tokens_of(const parsed_request& asked);       // returns an estimate of the prompt's tokens
// Returns the request's limit for the tokens of its answer. Returns nothing if there is no limit.
std::optional<std::uint64_t> max_tokens_of(const parsed_request& asked);
// Estimates how many tokens providers count against their rate limits when an attempt starts. A client's huge token
// limit is reduced, so that the target does not seem full for a long time. `extent` describes the size of the request.
std::uint64_t tokens_of_attempt(const parsed_request& asked, const request_extent& extent);

struct forecast_setup {
  racing::forecast_terms terms;
  std::vector<const proxy::model_prices*> prices;    // the prices of the targets, one entry per target of the forecast
  // The way in which each target's provider bills cancelled attempts, one entry per target of the forecast.
  std::vector<proxy::cancel_billing> billing;
  cost_rule costs;
};

// Returns a fingerprint of the key at the target, because failures are counted per key. Returns 0 for the configured
// key.
std::uint64_t key_print(const race_candidate& each);

// Makes the forecast for a request. Returns null if no speed of the route's targets was measured yet.
std::unique_ptr<forecast_setup> set_up_forecast(const speed_source& from, const parsed_request& asked,
                                                std::span<const race_candidate> candidates, const std::string& route,
                                                racing::instant now);

}  // namespace photofinish::gateway
