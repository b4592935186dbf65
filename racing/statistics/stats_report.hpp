// A report on the times and speeds of each target over the last 72 hours, for people and for the choice of targets.
// [pure]
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::racing {

struct ttft_figures {
  std::uint64_t seen = 0;
  // The number of attempts that ended before their first token. The time for which such an attempt was running counts
  // as a lower bound.
  std::uint64_t censored = 0;
  survival_quantile p50, p95, p99;  // the quantiles are valid only if seen + censored > 0
};

struct speed_figures {
  std::uint64_t count = 0;
  double p50 = 0, p95 = 0, p99 = 0;  // tokens per second, if count > 0; p95 is the speed of a fast answer
};

struct target_figures {
  ttft_figures ttft;
  speed_figures speed;
};

struct class_figures {
  value_class range;
  target_figures figures;
};

struct target_report {
  std::string target;
  target_figures all;
  std::vector<class_figures> by_input;        // results by number of input tokens, only for classes with samples
  // Results by number of attempts that were running at the target. They show how the speed depends on the load.
  std::vector<class_figures> by_concurrency;
};

struct stats_report {
  wall_time as_of;
  std::chrono::milliseconds window{0};
  std::vector<target_report> targets;  // reports on all targets, sorted by name

  const target_report* find(std::string_view target) const;
};

stats_report make_stats_report(const stats_window& window, wall_time now);

// Makes a report on the last `length` only, rounded to whole slots. Uses one-minute slots if they reach back far
// enough, otherwise one-hour slots.
stats_report make_stats_report(const stats_window& window, wall_time now, std::chrono::milliseconds length);

target_figures figures_of(const stats_figures& from);

}  // namespace photofinish::racing
