// The result that a plan would have had: the share of requests that are still silent at each time, over all requests,
// with each target's level at their time. [pure]
//   W(t) = sum over cells of their weight x product over started targets of S(t - start)
// A cell groups minutes and prompts in which the targets had the same levels and the same targets failed.
#pragma once

#include "racing/adaptive/time_grid.hpp"
#include "racing/race_plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

inline constexpr std::size_t max_advised = 8;  // targets per route

struct speed_cell {
  double weight = 0;          // number of requests
  double tokens = 0;          // mean of their prompts
  std::uint32_t failing = 0;  // bit set of targets that answered with an error
  std::array<float, max_advised> level{};  // ln seconds, including the prompt's part
  std::array<float, max_advised> hangs{};  // shares of attempts
};

struct what_if_plan {
  race_policy policy = race_policy::all;  // all, hedge or fallback
  std::size_t at_once = 3;                // most attempts that run together
  std::size_t most = max_advised;         // most attempts that are started
  double delay = 0;                       // seconds; used by hedge
  double limit = 1e9;                     // seconds per attempt, in fallback

  // The start time of the n-th target that does not fail, if all are silent. Empty: it never starts.
  double start_of(std::size_t place) const;
  static constexpr double never = 1e9;
};

struct what_if_figures {
  double weight = 0;
  std::array<double, grid_points> silent{};    // requests, at grid_times()
  std::array<double, max_advised> starts{}, wins{};  // requests, per target
  std::array<double, max_advised> started_tokens{}, won_tokens{};  // tokens of their prompts

  // The time in seconds by which `share` (0..1) of requests have their first token. Empty: later than the grid.
  double quantile(double share) const;
  static constexpr double none = -1;
  grid_values shares() const;
};

what_if_figures what_if(const what_if_plan& plan, std::span<const speed_cell> cells,
                        std::span<const survival_curve> curves);

}  // namespace photofinish::racing
