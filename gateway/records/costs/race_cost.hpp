// The current cost of a race, for its own answer. [pure]
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

// The cost in US dollars, including losers: from reported usage, otherwise estimated, by the same rules as the race's
// account. `seen` has a report with the figures of attempts that still run; this function cuts its impossible usage.
// Empty if an attempt that costs something has no known price.
std::optional<double> cost_until_now(race_account& seen, const find_prices& prices_of, std::chrono::sys_seconds now);

// Returns a JSON number such as "0.000123", without an exponent, rounded to a billionth.
std::string usd_text(double usd);

}  // namespace photofinish::gateway
