// What a plan would have given: the share of requests still silent at each time, over all that came, from where each
// target stood then. [pure]
//   W(t) = sum over cells of their weight x product over started targets of S(t - start)
// A cell is what minutes and prompts have in common: where each target stood, and which of them failed.
#pragma once

#include "racing/adaptive/time_grid.hpp"
#include "racing/race_plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

inline constexpr std::size_t max_advised = 8;  // targets of a route

struct speed_cell {
  double weight = 0;          // requests
  double tokens = 0;          // of their prompts, a mean
  std::uint32_t failing = 0;  // bits: targets that answered with an error
  std::array<float, max_advised> level{};  // ln seconds, with the prompt's part
  std::array<float, max_advised> hangs{};  // shares
};

struct what_if_plan {
  race_policy policy = race_policy::all;  // all, hedge or fallback
  std::size_t at_once = 3;                // running at most
  std::size_t most = max_advised;         // started at most
  double delay = 0;                       // seconds: hedge
  double limit = 1e9;                     // seconds: of one attempt, in fallback

  // When the n-th target starts that does not fail, if all are silent; none: never.
  double start_of(std::size_t place) const;
  static constexpr double never = 1e9;
};

struct what_if_figures {
  double weight = 0;
  std::array<double, grid_points> silent{};    // requests, at grid_times()
  std::array<double, max_advised> starts{}, wins{};  // requests, by target
  std::array<double, max_advised> started_tokens{}, won_tokens{};  // of their prompts

  // The seconds until which `share` (0..1) have their first token; none: not within the grid.
  double quantile(double share) const;
  static constexpr double none = -1;
  grid_values shares() const;
};

what_if_figures what_if(const what_if_plan& plan, std::span<const speed_cell> cells,
                        std::span<const survival_curve> curves);

}  // namespace photofinish::racing
