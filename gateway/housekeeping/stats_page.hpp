// Makes the JSON of GET /v1/providers/stats, which contains the statistics of each target over the last 72 hours.
// [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/config/config.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "racing/statistics/stats_report.hpp"

#include <memory>
#include <string>

namespace photofinish::gateway {

// The statistics of all gateways, or of one gateway.
struct fleet_stats {
  // This gateway's report. Null if the statistics are in `answer`, which another gateway has sent.
  std::shared_ptr<const racing::stats_report> report;
  std::string answer = {};
  fleet_scope scope = {};
};

// Returns the statistics of all targets in the form that gateways send to each other:
// {"as_of":…,"window_seconds":259200,"targets":[{"target","provider","model","ttft_seconds":{…},
// "tokens_per_second":{…},"by_input_tokens":[…],"by_concurrency":[…]}]}.
// If the answer would be too long for the store, the figures by input size and by concurrency are left out.
std::string stats_answer(const racing::stats_report& report);

// Returns a note that lists the gateways whose figures are included. It also lists the gateways that are missing, and
// since when they have been missing. The note is empty if the query selects one gateway.
std::string stats_note(const fleet_scope& scope);

// Returns the page that docs/stats.md describes. Another gateway's answer is untrusted. If it is not valid, the page is
// empty. If the caller's key allows only some routes, the page contains only the targets of these routes.
std::string stats_page(const fleet_stats& stats, const config& settings, const caller& who);

}  // namespace photofinish::gateway
