// Writes a usage report in JSON, in the format of OpenAI's usage pages, or as CSV. [pure]
#pragma once

#include "gateway/store/fleet_scope.hpp"
#include "gateway/usage/usage_book.hpp"
#include "gateway/usage/usage_query.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct usage_bucket {
  std::chrono::sys_seconds start{}, end{};
  usage_tier::rows rows;  // the amounts by their names; names by which the report is not grouped are empty
};

struct usage_report {
  usage_query wanted;
  std::chrono::sys_seconds complete_since{};  // usage before this time may be incomplete
  std::vector<usage_bucket> buckets;          // only the buckets that contain usage
  fleet_scope scope = {};                     // the gateways whose usage the report contains
};

usage_report make_usage_report(const usage_book& book, const usage_query& wanted);

// Adds the usage in a row to its bucket in the report, if the query includes the row. The buckets stay sorted by time.
void add_row(usage_report& into, std::chrono::sys_seconds bucket, const used_by& by, const used_amounts& amounts);

// Returns the value of the JSON member `gateways`: [{"name","is_running","is_counted"}].
std::string members_json(const fleet_scope& scope);
// Returns a human-readable line that states whose usage the report contains: "fleet", or "gateway NAME". It is also
// sent in a header.
std::string scope_text(const fleet_scope& scope);

std::string usage_json(const usage_report& report);
std::string usage_csv(const usage_report& report);

}  // namespace photofinish::gateway
