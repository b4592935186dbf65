// Estimates the cost of the user's own traffic at each endpoint of a scorecard. [pure] docs/bench/several-endpoints.md
// lists the assumptions, and the report shows them next to the figures.
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr std::chrono::days traffic_days{30};  // the period whose usage the bench requests from the gateway

// Reads the user's traffic from the JSON of GET /v1/usage, grouped by model, that was fetched at `now`. Returns an
// error text if `json` has another form.
std::variant<own_traffic, std::string> read_traffic(std::string_view json, std::chrono::sys_seconds now);

struct endpoint_forecast {
  std::size_t endpoint = 0;
  // The number of tokens that the endpoint counts for a prompt, divided by the mean count of all endpoints for the same
  // prompt.
  double input_ratio = 1;
  double output_ratio = 1;  // the number of tokens in the endpoint's answers, divided by the mean of all endpoints
  std::optional<double> usd_per_day;  // the cost in USD; none if the price is unknown
};

// Returns a forecast for each endpoint, or an empty list if the scorecard has no traffic.
std::vector<endpoint_forecast> forecast_of(const scorecard& card);

// Returns a text such as "A: 12.3 USD a day, 369 a month".
std::string words_of(const endpoint_forecast& each);
// Returns a sentence about the traffic on which the forecast is based, and a sentence for each assumption.
std::vector<std::string> assumptions_of(const scorecard& card);

}  // namespace photofinish::gateway::bench
