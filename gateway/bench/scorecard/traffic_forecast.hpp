// What a gateway's own traffic would cost at each endpoint of a scorecard. [pure]
// docs/bench/several-endpoints.md lists the assumptions, and so does the report next to the figures.
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr std::chrono::days traffic_days{30};  // that are asked for

// A page of GET /v1/usage, grouped by model, that was fetched at `now`; or why it is none.
std::variant<own_traffic, std::string> read_traffic(std::string_view json, std::chrono::sys_seconds now);

struct endpoint_forecast {
  std::size_t endpoint = 0;
  double input_ratio = 1;   // tokens that it counts for the same prompts, against all endpoints' average
  double output_ratio = 1;  // likewise, of its answers
  std::optional<double> usd_per_day;  // none: its price is unknown
};

// Empty without traffic.
std::vector<endpoint_forecast> forecast_of(const scorecard& card);

// "A: 12.3 USD a day, 369 a month"
std::string words_of(const endpoint_forecast& each);
// What was counted, and what is assumed, a sentence each.
std::vector<std::string> assumptions_of(const scorecard& card);

}  // namespace photofinish::gateway::bench
