// What a request brings to a plan by speed: its prompt, its load, what its answer may cost at each target. [pure]
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

// Where it is read. Borrowed for the call, but for the board.
struct speed_source {
  std::shared_ptr<const racing::forecast_board> board;
  std::function<double(const target_name&)> in_flight;  // attempts of this gateway
  // Null: unknown. Valid as long as the request's settings.
  std::function<const proxy::model_prices*(const target_name&)> prices_of;
  std::chrono::sys_seconds when;
  double draw = 1;  // 0..1, uniform
  // Whether its key's rate limits have no room there, as far as the provider has said. Null: unknown.
  std::function<bool(const race_candidate&)> is_full = {};
  std::function<std::string()> caller_digest = {};  // says who asks; called only if prompt caches are followed
  prefix_memory* prefixes = nullptr;  // null: what targets have in their prompt caches is not known
};

// What is known of the request before it runs.
std::uint64_t input_tokens_of(const parsed_request& asked);       // an estimate
std::optional<std::uint64_t> max_tokens_of(const parsed_request& asked);  // that its answer may have, where it says so
// The tokens that an attempt may take, as providers count ahead. No caller's number makes its target look full for
// long. `extent` is the request's own.
std::uint64_t tokens_of_attempt(const parsed_request& asked, const request_extent& extent);

struct forecast_setup {
  racing::forecast_terms terms;
  std::vector<const proxy::model_prices*> prices;    // of each row
  std::vector<proxy::cancel_billing> billing;        // likewise
  cost_rule costs;
};

// Whose failures count at that target; 0: the configured key's.
std::uint64_t key_print(const race_candidate& each);

// Null where nothing is known of the route.
std::unique_ptr<forecast_setup> set_up_forecast(const speed_source& from, const parsed_request& asked,
                                                std::span<const race_candidate> candidates, const std::string& route,
                                                racing::instant now);

}  // namespace photofinish::gateway
