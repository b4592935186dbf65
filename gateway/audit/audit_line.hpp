// A line of the audit log: one JSON object, its line end behind it. It holds names, and no secret. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

using audit_time = std::chrono::sys_time<std::chrono::milliseconds>;

// A caller that was not let in.
struct refused_caller {
  int status = 401;
  std::string code, message;  // of the answer, which repeat nothing of a key
  std::string peer, forwarded_for, request_id;
  std::string client;  // empty: not known
};

std::string started_line(audit_time now, std::string_view version, const config& settings);
std::string stopped_line(audit_time now);
// Counts, and the names that came and went, ten of each kind. Then a line for each key that changed. At most 200
// settings and 1,000 keys are named.
std::string reloaded_lines(audit_time now, const config& before, const config& after);
// At most ten reasons are written, and the number of the others.
std::string reload_refused_line(audit_time now, const config& in_use, const std::vector<std::string>& reasons);
std::string refused_line(audit_time now, const refused_caller& who);
std::string left_out_line(audit_time now, std::size_t refusals);

}  // namespace photofinish::gateway
