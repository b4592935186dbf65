// When a budget begins anew. [pure]
#pragma once

#include "gateway/config/access/limit_settings.hpp"

#include <chrono>

namespace photofinish::gateway {

// The end of the window that `now` is in: the next midnight, Monday or first of the month in the period's zone, or the
// next multiple of a shorter length since 1970.
std::chrono::sys_seconds window_end(const budget_period& period, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
