// Parses the parameters of a usage report: GET /v1/usage?start_time=…&bucket_width=1d&group_by=client,model. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

struct usage_query {
  std::chrono::sys_seconds start{}, end{};  // the period of the report; buckets that overlap it are reported in full
  std::chrono::seconds width{std::chrono::hours(24)};
  bool by_client = false, by_team = false, by_model = false, by_project = false;
  std::optional<std::string> only_client = {};  // the only client in the report; empty for all clients
  std::string gateway = {};                     // the only gateway in the report; empty for the whole fleet
};

// Returns the gateway to which a query limits the answer. Returns an empty name if the query does not name one.
std::variant<std::string, api_error> read_gateway_name(std::string_view query);

// Reads a query. Times may be seconds since 1970, dates, or dates with times, in UTC. The default is the last 30 days,
// or the last 24 hours if bucket_width is 1h.
std::variant<usage_query, api_error> read_usage_query(std::string_view query, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
