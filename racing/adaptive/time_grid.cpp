#include "racing/adaptive/time_grid.hpp"

#include <algorithm>

namespace photofinish::racing {

const std::array<float, grid_points>& grid_times() {
  static const auto made = [] {
    std::array<float, grid_points> times{};
    for (std::size_t k = 0; k < grid_points; ++k)
      times[k] = static_cast<float>(grid_first * std::exp(log_step * static_cast<double>(k)));
    return times;
  }();
  return made;
}

double value_at(const grid_values& alive, double seconds) {
  if (!(seconds > 0)) return 1;
  const auto& times = grid_times();
  if (seconds <= grid_first) return 1 + (static_cast<double>(alive[0]) - 1) * seconds / grid_first;
  const double position = std::log(seconds / grid_first) / log_step;
  const auto at = static_cast<std::size_t>(std::min(position, static_cast<double>(grid_points - 1)));
  if (at + 1 >= grid_points) return static_cast<double>(alive[grid_points - 1]);
  const double from = static_cast<double>(times[at]), to = static_cast<double>(times[at + 1]);
  const double part = std::clamp((seconds - from) / (to - from), 0.0, 1.0);
  return static_cast<double>(alive[at]) * (1 - part) + static_cast<double>(alive[at + 1]) * part;
}

}  // namespace photofinish::racing
