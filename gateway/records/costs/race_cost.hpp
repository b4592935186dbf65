// Computes the cost of a race so far. The gateway reports this cost to the client with the answer. [pure]
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

// Returns the cost of a race in US dollars, including the cost of its losers. The cost is computed from the reported
// usage, or from an estimate if no usage is reported. The metrics and the log use the same rules. `seen` also contains
// figures of attempts that are still running. This function reduces impossible usage in `seen`. Returns nothing if the
// price of an attempt is unknown, unless the attempt was free.
std::optional<double> cost_until_now(race_account& seen, const find_prices& prices_of, std::chrono::sys_seconds now);

// Returns an amount of dollars as a JSON number such as "0.000123", without an exponent, rounded to a billionth.
std::string usd_text(double usd);

}  // namespace photofinish::gateway
