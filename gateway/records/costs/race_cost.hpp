// Computes the current cost of a race, which the race's own answer reports. [pure]
#pragma once

#include "gateway/records/race_account.hpp"
#include "proxy/providers/price_tier.hpp"
#include "proxy/providers/prices.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace photofinish::gateway {

using find_prices = std::function<const proxy::model_prices*(const target_name&, proxy::price_tier)>;

// Returns the cost in US dollars, including losers. It uses the reported usage, or an estimate if there is none, by the
// same rules as the race's account. `seen` contains a report with the figures of attempts that still run. This function
// cuts impossible usage in it. Returns none if an attempt that costs something has no known price.
std::optional<double> cost_until_now(race_account& seen, const find_prices& prices_of, std::chrono::sys_seconds now);

// Returns a JSON number such as "0.000123", without an exponent, rounded to a billionth.
std::string usd_text(double usd);

}  // namespace photofinish::gateway
