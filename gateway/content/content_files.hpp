// Chooses the names of the content log's files, one for each day in UTC, and finds expired files. [pure]
#pragma once

#include "gateway/log/time_text.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the name of the file for a day. For /var/log/content.jsonl it looks like /var/log/content-2026-11-25.jsonl.
std::string day_file(const std::string& file, std::chrono::sys_days day);

// Returns the log files that are older than `retention`, from the names of all files in a folder. The age of a file is
// counted from the end of its day. Never returns other files.
std::vector<std::string> expired_files(const std::string& file, const std::vector<std::string>& names,
                                       std::chrono::milliseconds retention, log_time now);

}  // namespace photofinish::gateway
