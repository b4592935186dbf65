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
  std::string file = {};  // path of the log, which names daily files in the same folder; if empty, nothing is recorded
  std::vector<std::string> routes = {};
  std::chrono::milliseconds retention{std::chrono::hours(720)};
  std::size_t max_line = 1u << 20;  // limit for the bytes of a line; a longer line is cut

  bool operator==(const content_log_settings&) const = default;
  bool is_on() const { return !file.empty(); }
  bool has(std::string_view route) const { return std::find(routes.begin(), routes.end(), route) != routes.end(); }
};

}  // namespace photofinish::gateway
