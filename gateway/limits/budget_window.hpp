// Computes when the next window of a budget begins. [pure]
#pragma once

#include "gateway/config/access/limit_settings.hpp"

#include <chrono>

namespace photofinish::gateway {

// Returns the end of the window that contains `now`. Windows of days end at midnight, windows of weeks on Monday, and
// windows of months on the first day of a month. The time zone is that of the budget. A shorter window ends at a
// multiple of its length, counted from 1970.
std::chrono::sys_seconds window_end(const budget_period& period, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
