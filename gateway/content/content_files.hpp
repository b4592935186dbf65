// The content log's files: one for each day of UTC, and which of them are too old. [pure]
#pragma once

#include "gateway/log/time_text.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// /var/log/content.jsonl: /var/log/content-2026-11-25.jsonl
std::string day_file(const std::string& file, std::chrono::sys_days day);

// Of the names of files in that folder those of days that ended longer than `retention` ago. No other is among them.
std::vector<std::string> expired_files(const std::string& file, const std::vector<std::string>& names,
                                       std::chrono::milliseconds retention, log_time now);

}  // namespace photofinish::gateway
