// Writes a usage report as JSON in the form of OpenAI's usage pages, or as CSV. [pure]
#pragma once

#include "gateway/store/fleet_scope.hpp"
#include "gateway/usage/usage_book.hpp"
#include "gateway/usage/usage_query.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct usage_bucket {
  std::chrono::sys_seconds start{}, end{};
  usage_tier::rows rows;  // rows by their names; a name is empty if the report does not group by it
};

struct usage_report {
  usage_query wanted;
  std::chrono::sys_seconds complete_since{};  // usage before this time is incomplete
  std::vector<usage_bucket> buckets;          // only the buckets that have usage
  fleet_scope scope = {};                     // the gateways that the report covers
};

usage_report make_usage_report(const usage_book& book, const usage_query& wanted);

// Adds a row of a bucket to the report, if the report requests it. The buckets stay in order.
void add_row(usage_report& into, std::chrono::sys_seconds bucket, const used_by& by, const used_amounts& amounts);

// Returns the names of gateways for the JSON member `gateways`: [{"name","is_running","is_counted"}].
std::string members_json(const fleet_scope& scope);
// Returns a line that names the gateways of the report, for people and for a header: "fleet", or "gateway NAME".
std::string scope_text(const fleet_scope& scope);

std::string usage_json(const usage_report& report);
std::string usage_csv(const usage_report& report);

}  // namespace photofinish::gateway
