// The times at which survival curves are tabulated: 20 ms to 188 s in steps of 10 %. [pure]
#pragma once

#include "racing/forecast/ttft_shape.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace photofinish::racing {

inline constexpr std::size_t grid_points = 97;
inline constexpr double grid_first = 0.02;  // seconds
using grid_values = std::array<float, grid_points>;

const std::array<float, grid_points>& grid_times();

// Interpolates the share at a time. The share is 1 before the first time of the grid, and keeps its last value after
// the grid's end.
double value_at(const grid_values& alive, double seconds);

}  // namespace photofinish::racing
