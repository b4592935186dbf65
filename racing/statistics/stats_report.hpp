// The figures about each target over the last 72 hours, for people and for the choice of targets. [pure]
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::racing {

struct ttft_figures {
  std::uint64_t seen = 0;
  // Attempts that ended before their first token: each counts with its age as a lower bound.
  std::uint64_t censored = 0;
  survival_quantile p50, p95, p99;  // quantiles; valid only if seen + censored > 0
};

struct speed_figures {
  std::uint64_t count = 0;
  double p50 = 0, p95 = 0, p99 = 0;  // tokens per second; valid only if count > 0. The 95th percentile is a fast answer
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
  std::vector<class_figures> by_input;        // figures by the number of input tokens, only for classes with samples
  // Figures by the number of attempts in flight: the curve of speed against load.
  std::vector<class_figures> by_concurrency;
};

struct stats_report {
  wall_time as_of;
  std::chrono::milliseconds window{0};
  std::vector<target_report> targets;  // figures of all targets, sorted by name

  const target_report* find(std::string_view target) const;
};

stats_report make_stats_report(const stats_window& window, wall_time now);

// Makes a report over only the last `length`, in whole slots. The report uses minute slots if they go back far enough,
// otherwise hour slots.
stats_report make_stats_report(const stats_window& window, wall_time now, std::chrono::milliseconds length);

target_figures figures_of(const stats_figures& from);

}  // namespace photofinish::racing
