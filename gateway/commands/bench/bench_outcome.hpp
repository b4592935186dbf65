// The result of one bench run, for the shell and for a schedule.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/schedule/schedule_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct bench_outcome {
  int exit_code = 0;
  int interrupted_by = 0;  // the signal's number; 0: no signal
  bool has_report = false;
  std::optional<double> cost_usd = {};
  std::vector<bench::series_figures> figures = {};  // only levels with answers have figures
};

inline constexpr int bench_failed = 1;       // there was no answer, or a level or an endpoint had none
inline constexpr int bench_wrong_usage = 2;

// The figures of one load level that a series shows.
bench::series_figures figures_of(std::string group, std::string name, const bench::level_report& level);

// Prints each problem on standard error. Returns the outcome for wrong usage.
bench_outcome wrong_usage(const std::vector<std::string>& problems);

// Returns 128 plus the signal's number, as shells do, if a signal interrupted the run; otherwise `exit_code`.
int exit_code_of(int exit_code, int interrupted_by);

}  // namespace photofinish::gateway
