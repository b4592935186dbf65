// Predicts the result that a race plan would have had: the share of requests without a first token at each time. [pure]
//
// A cell groups minutes and prompts in which the targets had the same levels and the same targets failed. The predicted
// share is the sum over all cells of the cell's weight times the product of S(t - start) over the targets that were
// started. S is a target's survival curve at the target's level in the cell.
#pragma once

#include "racing/adaptive/time_grid.hpp"
#include "racing/race_plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

inline constexpr std::size_t max_advised = 8;  // largest number of a route's targets that advice compares

struct speed_cell {
  double weight = 0;          // number of requests in the cell
  double tokens = 0;          // mean number of tokens in the cell's prompts
  std::uint32_t failing = 0;  // bit set of the targets that answered with an error
  std::array<float, max_advised> level{};  // level of each target in ln seconds, including the effect of the prompt
  std::array<float, max_advised> hangs{};  // share of each target's attempts that hang
};

struct what_if_plan {
  race_policy policy = race_policy::all;  // policy of the plan: all, hedge or fallback
  std::size_t at_once = 3;                // largest number of attempts that run at the same time
  std::size_t most = max_advised;         // largest number of attempts that a race starts
  double delay = 0;                       // hedge delay in seconds, with the policy hedge
  double limit = 1e9;                     // time limit per attempt in seconds, with the policy fallback

  // Returns the start time of the n-th target that does not fail, if all targets are silent. Returns nothing if this
  // target never starts.
  double start_of(std::size_t place) const;
  static constexpr double never = 1e9;
};

struct what_if_figures {
  double weight = 0;
  std::array<double, grid_points> silent{};    // number of requests without a first token at each time of grid_times()
  // The number of requests for which each target is started, and the number of requests that each target wins.
  std::array<double, max_advised> starts{}, wins{};
  // The number of tokens in the prompts of requests for which each target is started, and in the prompts of requests
  // that each target wins.
  std::array<double, max_advised> started_tokens{}, won_tokens{};

  // Returns the time in seconds by which `share` (0..1) of the requests have their first token. Returns nothing if this
  // time is after the grid's end.
  double quantile(double share) const;
  static constexpr double none = -1;
  grid_values shares() const;
};

what_if_figures what_if(const what_if_plan& plan, std::span<const speed_cell> cells,
                        std::span<const survival_curve> curves);

}  // namespace photofinish::racing
