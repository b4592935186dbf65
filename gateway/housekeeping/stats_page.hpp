// GET /v1/providers/stats: the last 72 hours of each target, as JSON. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/config/config.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "racing/statistics/stats_report.hpp"

#include <memory>
#include <string>

namespace photofinish::gateway {

// The statistics of all gateways, or of one.
struct fleet_stats {
  std::shared_ptr<const racing::stats_report> report;  // null if another gateway made `answer`
  std::string answer = {};
  fleet_scope scope = {};
};

// {"as_of":…,"window_seconds":259200,"targets":[{"target","provider","model","ttft_seconds":{…},
// "tokens_per_second":{…},"by_input_tokens":[…],"by_concurrency":[…]}]}: all targets, in the form that gateways
// send each other. An answer that is too long for the store has no classes.
std::string stats_answer(const racing::stats_report& report);

// The note names the gateways that the figures cover, and says since when others are missing. It is empty if the query
// selects one gateway.
std::string stats_note(const fleet_scope& scope);

// The page: docs/stats.md. An answer of another gateway is untrusted; the page is empty if it is not valid. A caller
// whose key opens only some routes sees only their targets.
std::string stats_page(const fleet_stats& stats, const config& settings, const caller& who);

}  // namespace photofinish::gateway
