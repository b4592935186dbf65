// Computes when a budget's next window begins. [pure]
#pragma once

#include "gateway/config/access/limit_settings.hpp"

#include <chrono>

namespace photofinish::gateway {

// Returns the end of the window that contains `now`. A window of days, weeks or months ends at the next midnight,
// Monday or first day of a month in the period's time zone. Shorter windows end at multiples of the period since 1970.
std::chrono::sys_seconds window_end(const budget_period& period, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
