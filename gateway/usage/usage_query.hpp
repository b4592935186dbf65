// What a report of use is asked for: GET /v1/usage?start_time=…&bucket_width=1d&group_by=client,model. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

struct usage_query {
  std::chrono::sys_seconds start{}, end{};  // buckets that touch this time are reported whole
  std::chrono::seconds width{std::chrono::hours(24)};
  bool by_client = false, by_team = false, by_model = false, by_project = false;
  std::optional<std::string> only_client = {};  // none: all of them
  std::string gateway = {};                     // the only gateway to report; empty: all of the fleet
};

// The gateway that a query narrows an answer to; empty: none.
std::variant<std::string, api_error> read_gateway_name(std::string_view query);

// Times are seconds since 1970, days or times in UTC. Without them the last 30 days, or 24 hours of 1h.
std::variant<usage_query, api_error> read_usage_query(std::string_view query, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
