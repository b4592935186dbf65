// The settings of the log of prompts and answers, as plain data. [pure]
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

struct content_log_settings {
  // The path of the log, from which the name of each day's file is derived. If it is empty, nothing is recorded.
  std::string file = {};
  std::vector<std::string> routes = {};
  std::chrono::milliseconds retention{std::chrono::hours(720)};
  std::size_t max_line = 1u << 20;  // the maximum size of a line in bytes; longer lines are truncated

  bool operator==(const content_log_settings&) const = default;
  bool is_on() const { return !file.empty(); }
  bool has(std::string_view route) const { return std::find(routes.begin(), routes.end(), route) != routes.end(); }
};

}  // namespace photofinish::gateway
