// What one run of the bench came to: for the shell, and for a schedule.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/schedule/schedule_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct bench_outcome {
  int exit_code = 0;
  int interrupted_by = 0;  // a signal; 0: none
  bool has_report = false;
  std::optional<double> cost_usd = {};
  std::vector<bench::series_figures> figures = {};  // of what answered at all
};

inline constexpr int bench_failed = 1;       // no answer, or a level or an endpoint without one
inline constexpr int bench_wrong_usage = 2;

// The figures that a series shows of one level of load.
bench::series_figures figures_of(std::string group, std::string name, const bench::level_report& level);

// Each on standard error. The outcome of wrong usage.
bench_outcome wrong_usage(const std::vector<std::string>& problems);

// As shells tell of signals: 128 and the signal, where there was one.
int exit_code_of(int exit_code, int interrupted_by);

}  // namespace photofinish::gateway
