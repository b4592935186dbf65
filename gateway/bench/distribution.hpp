// What a list of samples says: percentiles as numpy draws them (linear), mean, spread. [pure]
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace photofinish::gateway::bench {

// In the unit of the samples. `std` is that of the whole population, as numpy's default.
struct distribution {
  std::size_t count = 0;
  double avg = 0, min = 0, max = 0, std = 0;
  double p1 = 0, p5 = 0, p10 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0;
};

// numpy.percentile(sorted, percent), method "linear". `sorted` is ascending and not empty, percent 0 to 100.
double percentile(std::span<const double> sorted, double percent);

// None without a sample.
std::optional<distribution> distribution_of(std::vector<double> samples);

}  // namespace photofinish::gateway::bench
