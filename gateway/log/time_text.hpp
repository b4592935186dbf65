// Times as logs and alerts write them. [pure]
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace photofinish::gateway {

using log_time = std::chrono::sys_time<std::chrono::milliseconds>;

// 2026-01-31
inline std::string day_text(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

// 2026-01-31T12:00:00.250Z
inline std::string time_text(log_time when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::hh_mm_ss time(when - day);
  char text[32];
  std::snprintf(text, sizeof text, "T%02d:%02d:%02d.%03dZ", static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return day_text(day) + text;
}

}  // namespace photofinish::gateway
