// Predicts the results that a race plan would have had: at each time, the share of requests without a first token.
// [pure]
//
// Requests are grouped into cells. In all minutes of a cell, the targets have the same usual times, and the same
// targets fail. The predicted share is a sum over all cells: the cell's weight times the product of S(t - start) over
// all targets that were started. S is the survival curve of a target with its usual time in the cell.
#pragma once

#include "racing/adaptive/time_grid.hpp"
#include "racing/race_plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

inline constexpr std::size_t max_advised = 8;  // maximum number of a route's targets that are compared

struct speed_cell {
  double weight = 0;          // number of requests that the cell represents
  double tokens = 0;          // mean number of tokens in the prompts that the cell represents
  std::uint32_t failing = 0;  // bit set of the targets that fail with an error
  std::array<float, max_advised> level{};  // natural logarithm of each target's usual time in seconds, for prompts of
                                           // this size
  std::array<float, max_advised> hangs{};  // share of each target's attempts that hang
};

struct what_if_plan {
  race_policy policy = race_policy::all;  // policy of the plan: all, hedge or fallback
  std::size_t at_once = 3;                // maximum number of attempts that run at the same time
  std::size_t most = max_advised;         // maximum number of attempts that a race starts
  double delay = 0;                       // hedge delay in seconds; used for the policy hedge
  double limit = 1e9;                     // time limit per attempt in seconds; used for the policy fallback

  // Returns when the target at this position starts if no target answers, or `never`. Targets that fail do not count.
  double start_of(std::size_t place) const;
  static constexpr double never = 1e9;
};

struct what_if_figures {
  double weight = 0;
  std::array<double, grid_points> silent{};    // at each time of grid_times(), the number of requests that have no
                                               // first token yet
  // The number of requests that start each target, and the number of requests that each target wins.
  std::array<double, max_advised> starts{}, wins{};
  // The number of tokens in the prompts of requests that start each target, and of requests that each target wins.
  std::array<double, max_advised> started_tokens{}, won_tokens{};

  // Returns the time in seconds at which `share` (0..1) of the requests have their first token. If this time is after
  // the end of the grid, returns `none`.
  double quantile(double share) const;
  static constexpr double none = -1;
  grid_values shares() const;
};

what_if_figures what_if(const what_if_plan& plan, std::span<const speed_cell> cells,
                        std::span<const survival_curve> curves);

}  // namespace photofinish::racing
