// Names the files of the content log, one for each day in UTC, and finds the expired files. [pure]
#pragma once

#include "gateway/log/time_text.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the file name for a day: for /var/log/content.jsonl it is /var/log/content-2026-11-25.jsonl.
std::string day_file(const std::string& file, std::chrono::sys_days day);

// Returns the files of the content log, among the files in a folder, whose day ended longer than `retention` ago. The
// function never returns other files.
std::vector<std::string> expired_files(const std::string& file, const std::vector<std::string>& names,
                                       std::chrono::milliseconds retention, log_time now);

}  // namespace photofinish::gateway
