// Formats times for logs, alerts and JSON (RFC 3339). [pure]
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace photofinish::gateway {

using log_time = std::chrono::sys_time<std::chrono::milliseconds>;

// Example: 2026-01-31
inline std::string day_text(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

// Example: 2026-01-31T12:00:00Z
inline std::string second_text(std::chrono::sys_seconds when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::hh_mm_ss time(when - day);
  char text[32];
  std::snprintf(text, sizeof text, "T%02d:%02d:%02dZ", static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return day_text(day) + text;
}

// Example: 2026-01-31T12:00:00.250Z
inline std::string time_text(log_time when) {
  const auto second = std::chrono::floor<std::chrono::seconds>(when);
  std::string text = second_text(second);
  char fraction[32];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>((when - second).count()));
  text.pop_back();
  return text + fraction;
}

}  // namespace photofinish::gateway
