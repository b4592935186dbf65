// What the housekeeper keeps and for how long, with production's defaults; tests shorten it. [pure]
#pragma once

#include "racing/statistics/regression.hpp"
#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace photofinish::gateway {

class prefix_memory;

struct housekeeping {
  std::string state_dir;  // empty: statistics live in memory alone
  racing::window_shape window;
  racing::regression_rules regressions;
  std::chrono::milliseconds tick{1'000};         // samples are taken in
  std::chrono::milliseconds review_every{60'000};  // old slots go, workers get the figures, regressions are looked for
  std::chrono::milliseconds save_every{60'000};
  // Called on the threads for long work, before each text that is counted and each body that is parsed there.
  std::function<void()> before_counting, before_parsing;
  prefix_memory* prefixes = nullptr;  // outlives the housekeeper; null: prefixes are neither kept nor shared
};

}  // namespace photofinish::gateway
