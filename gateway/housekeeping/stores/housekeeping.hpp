// Settings of the housekeeper: the data that it stores, and its intervals. The default values are for production; tests
// use shorter intervals. [pure]
#pragma once

#include "racing/statistics/regression.hpp"
#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace photofinish::gateway {

class prefix_memory;

struct housekeeping {
  std::string state_dir;  // folder for statistics; if empty, they are only in memory
  racing::window_shape window;
  racing::regression_rules regressions;
  std::chrono::milliseconds tick{1'000};         // interval at which samples are processed
  // Interval at which the housekeeper drops old slots, gives the figures to workers, and looks for regressions.
  std::chrono::milliseconds review_every{60'000};
  std::chrono::milliseconds save_every{60'000};
  // Functions that the threads for long work call before they count a text or parse a body.
  std::function<void()> before_counting, before_parsing;
  // Known prompt prefixes, which outlive the housekeeper; null if they are neither stored nor shared.
  prefix_memory* prefixes = nullptr;
};

}  // namespace photofinish::gateway
