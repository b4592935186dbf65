// The times at which survival curves are stored: from 20 ms to 188 s, in steps of 10 %. [pure]
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

// Interpolates the share at the given time. The share is 1 at time 0, and keeps its last value after the end of the
// grid.
double value_at(const grid_values& alive, double seconds);

}  // namespace photofinish::racing
