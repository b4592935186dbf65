// The data that the housekeeper stores and its intervals, with production's defaults; tests shorten them. [pure]
#pragma once

#include "racing/statistics/regression.hpp"
#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace photofinish::gateway {

class prefix_memory;

struct housekeeping {
  std::string state_dir;  // empty: statistics are only in memory
  racing::window_shape window;
  racing::regression_rules regressions;
  std::chrono::milliseconds tick{1'000};         // interval for processing samples
  // Interval for dropping old slots, giving workers the figures, and looking for regressions.
  std::chrono::milliseconds review_every{60'000};
  std::chrono::milliseconds save_every{60'000};
  // Called on the threads for long work, before each text that is counted and each body that is parsed there.
  std::function<void()> before_counting, before_parsing;
  prefix_memory* prefixes = nullptr;  // outlives the housekeeper; null: prefixes are neither stored nor shared
};

}  // namespace photofinish::gateway
