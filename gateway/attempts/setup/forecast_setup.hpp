// The request's part of a plan by speed: its prompt, its load, and the possible cost of its answer at each target.
// [pure]
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

// The sources of the forecast. Borrowed for the call, except the board.
struct speed_source {
  std::shared_ptr<const racing::forecast_board> board;
  std::function<double(const target_name&)> in_flight;  // number of this gateway's attempts in flight at a target
  // Returns null if the prices are unknown. Valid as long as the request's settings.
  std::function<const proxy::model_prices*(const target_name&)> prices_of;
  std::chrono::sys_seconds when;
  double draw = 1;  // a random number from 0 to 1, uniform
  // True if the provider has reported that the rate limits of the target's key are used up. Null: unknown.
  std::function<bool(const race_candidate&)> is_full = {};
  std::function<std::string()> caller_digest = {};  // identifies the caller; called only if prompt caches are followed
  prefix_memory* prefixes = nullptr;  // null: the content of prompt caches is unknown
};

// The known figures of the request before it runs.
std::uint64_t input_tokens_of(const parsed_request& asked);       // an estimate of the prompt's tokens
// The limit of its answer, if the request has one.
std::optional<std::uint64_t> max_tokens_of(const parsed_request& asked);
// The tokens that an attempt may use, as providers count them in advance. A caller's huge limit must not make its
// target look full for long. `extent` is the request's own.
std::uint64_t tokens_of_attempt(const parsed_request& asked, const request_extent& extent);

struct forecast_setup {
  racing::forecast_terms terms;
  std::vector<const proxy::model_prices*> prices;    // one entry per row
  std::vector<proxy::cancel_billing> billing;        // one entry per row
  cost_rule costs;
};

// The key whose failures count at that target; 0: the configured key.
std::uint64_t key_print(const race_candidate& each);

// Returns null if nothing is known about the route.
std::unique_ptr<forecast_setup> set_up_forecast(const speed_source& from, const parsed_request& asked,
                                                std::span<const race_candidate> candidates, const std::string& route,
                                                racing::instant now);

}  // namespace photofinish::gateway
