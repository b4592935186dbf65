// Reads the parameters of a usage report: GET /v1/usage?start_time=…&bucket_width=1d&group_by=client,model. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

struct usage_query {
  std::chrono::sys_seconds start{}, end{};  // limits of the report; a bucket that overlaps them is reported in full
  std::chrono::seconds width{std::chrono::hours(24)};
  bool by_client = false, by_team = false, by_model = false, by_project = false;
  std::optional<std::string> only_client = {};  // the only client to report; empty for all clients
  std::string gateway = {};                     // the only gateway to report; empty for the whole fleet
};

// Returns the gateway to which a query limits its answer, or an empty name if the query names no gateway.
std::variant<std::string, api_error> read_gateway_name(std::string_view query);

// Reads a query. Times are seconds since 1970, or days or times in UTC. The default is the last 30 days, or 24 hours
// with a width of 1h.
std::variant<usage_query, api_error> read_usage_query(std::string_view query, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
