// Summarizes a list of samples with percentiles, mean and spread. The percentiles are the same as numpy's with the
// method "linear". [pure]
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace photofinish::gateway::bench {

// All values have the unit of the samples. `std` is the population's standard deviation, which is also numpy's default.
struct distribution {
  std::size_t count = 0;
  double avg = 0, min = 0, max = 0, std = 0;
  double p1 = 0, p5 = 0, p10 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0;
};

// Returns the same value as numpy.percentile(sorted, percent) with the method "linear". `sorted` is in ascending order
// and not empty; `percent` is 0 to 100.
double percentile(std::span<const double> sorted, double percent);

// Returns the distribution of the samples, or nothing if there are no samples.
std::optional<distribution> distribution_of(std::vector<double> samples);

}  // namespace photofinish::gateway::bench
