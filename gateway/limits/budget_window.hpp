// Computes when the next window of a budget begins. [pure]
#pragma once

#include "gateway/config/access/limit_settings.hpp"

#include <chrono>

namespace photofinish::gateway {

// Returns the end of the window that contains `now`. A window of days, weeks or months ends at midnight, on Monday or
// on the first day of a month, in the time zone of the budget. The end of a shorter window is a multiple of its length,
// counted from 1970.
std::chrono::sys_seconds window_end(const budget_period& period, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
