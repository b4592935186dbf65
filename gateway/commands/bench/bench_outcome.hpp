// The result of one run of the bench. The shell gets its exit code, and a schedule of runs uses its figures.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/schedule/schedule_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct bench_outcome {
  int exit_code = 0;
  int interrupted_by = 0;  // the number of the signal that interrupted the run; 0 if there was none
  bool has_report = false;
  std::optional<double> cost_usd = {};
  std::vector<bench::series_figures> figures = {};  // the figures of all load levels that got answers
};

// The exit code if all requests failed, or if a load level or an endpoint got no answer.
inline constexpr int bench_failed = 1;
inline constexpr int bench_wrong_usage = 2;

// Returns the figures of a load level in the form that is needed for the charts of repeated runs.
bench::series_figures figures_of(std::string group, std::string name, const bench::level_report& level);

// Prints each problem on standard error. Returns the outcome of a command that was used incorrectly.
bench_outcome wrong_usage(const std::vector<std::string>& problems);

// Returns the exit code of the program. If a signal interrupted the run, the exit code is 128 plus the signal's number,
// as in shells. Otherwise it is `exit_code`.
int exit_code_of(int exit_code, int interrupted_by);

}  // namespace photofinish::gateway
