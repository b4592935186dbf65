// Makes a line of the audit log: one JSON object with its line end. The line contains names, but no secret. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

using audit_time = std::chrono::sys_time<std::chrono::milliseconds>;

// A caller whose request was rejected.
struct refused_caller {
  int status = 401;
  std::string code, message;  // texts of the answer's error, which contain no part of a key
  std::string peer, forwarded_for, request_id;
  std::string client;  // empty: unknown
};

std::string started_line(audit_time now, std::string_view version, const config& settings);
std::string stopped_line(audit_time now);
// Returns the lines about a reload. The first line has counts, and the names that were added and removed, ten of each
// kind. A line for each changed key follows. The lines name at most 200 settings and 1,000 keys.
std::string reloaded_lines(audit_time now, const config& before, const config& after);
// Returns the line about a rejected reload, with at most ten reasons, and the number of the remaining reasons.
std::string reload_refused_line(audit_time now, const config& in_use, const std::vector<std::string>& reasons);
std::string refused_line(audit_time now, const refused_caller& who);
std::string left_out_line(audit_time now, std::size_t refusals);

}  // namespace photofinish::gateway
