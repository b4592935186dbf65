// GET /v1/providers/stats: the last 72 hours of each target, as JSON. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/config/config.hpp"
#include "racing/statistics/stats_report.hpp"

#include <string>

namespace photofinish::gateway {

// {"object":"provider.stats","as_of":…,"window_seconds":259200,"targets":[{"target","provider","model",
// "ttft_seconds":{…},"tokens_per_second":{…},"by_input_tokens":[…],"by_concurrency":[…]}]}: docs/stats.md.
// A caller whose key opens some routes alone sees their targets alone.
std::string stats_page(const racing::stats_report& report, const config& settings, const caller& who);

}  // namespace photofinish::gateway
