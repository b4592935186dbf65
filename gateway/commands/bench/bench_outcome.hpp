// The result of one bench run, which the shell or a schedule uses.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/schedule/schedule_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct bench_outcome {
  int exit_code = 0;
  int interrupted_by = 0;  // the number of the signal; 0 if there was none
  bool has_report = false;
  std::optional<double> cost_usd = {};
  std::vector<bench::series_figures> figures = {};  // figures of the levels that had answers
};

inline constexpr int bench_failed = 1;       // exit code if there was no answer, or if a level or an endpoint had none
inline constexpr int bench_wrong_usage = 2;

// Returns the figures of a load level, as a series shows them.
bench::series_figures figures_of(std::string group, std::string name, const bench::level_report& level);

// Prints each problem on standard error. Returns the outcome of a run with wrong usage.
bench_outcome wrong_usage(const std::vector<std::string>& problems);

// Returns the exit code of the program. If a signal interrupted the run, it is 128 plus the signal's number, as in
// shells. Otherwise it is `exit_code`.
int exit_code_of(int exit_code, int interrupted_by);

}  // namespace photofinish::gateway
