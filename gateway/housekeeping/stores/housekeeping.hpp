// Settings of the housekeeper: the data that it stores, and its intervals. The default values are meant for production;
// tests use shorter intervals. [pure]
#pragma once

#include "racing/statistics/regression.hpp"
#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace photofinish::gateway {

class prefix_memory;

struct housekeeping {
  std::string state_dir;  // the folder for the file of statistics; if empty, statistics are only kept in memory
  racing::window_shape window;
  racing::regression_rules regressions;
  std::chrono::milliseconds tick{1'000};         // the interval at which the housekeeper processes new measurements
  // The interval at which the housekeeper drops old statistics, sends the new figures to workers, and looks for
  // regressions.
  std::chrono::milliseconds review_every{60'000};
  std::chrono::milliseconds save_every{60'000};
  // Functions that run on the background threads before each text is counted or each body is parsed.
  std::function<void()> before_counting, before_parsing;
  // The prompt prefixes that the gateway remembers. They must outlive the housekeeper. Null if they are neither stored
  // nor shared.
  prefix_memory* prefixes = nullptr;
};

}  // namespace photofinish::gateway
