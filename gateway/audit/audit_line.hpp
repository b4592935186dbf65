// Makes a line of the audit log: one JSON object with a line end. The line contains names, but no secrets. [pure]
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
  std::string code, message;  // the texts in the error that the caller got; they contain no part of a key
  std::string peer, forwarded_for, request_id;
  std::string client;  // empty: unknown
};

std::string started_line(audit_time now, std::string_view version, const config& settings);
std::string stopped_line(audit_time now);
// Returns the lines about a reload. The first line contains counts and the names of what was added and removed, at most
// ten names of each kind. It is followed by a line for each changed key. All lines together name at most 200 settings
// and 1,000 keys.
std::string reloaded_lines(audit_time now, const config& before, const config& after);
// Returns the line about a rejected reload. It contains at most ten reasons, and the number of further reasons.
std::string reload_refused_line(audit_time now, const config& in_use, const std::vector<std::string>& reasons);
std::string refused_line(audit_time now, const refused_caller& who);
std::string left_out_line(audit_time now, std::size_t refusals);

}  // namespace photofinish::gateway
