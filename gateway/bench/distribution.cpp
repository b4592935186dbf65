#include "gateway/bench/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace photofinish::gateway::bench {

double percentile(std::span<const double> sorted, double percent) {
  const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

std::optional<distribution> distribution_of(std::vector<double> samples) {
  if (samples.empty()) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<double>(samples.size());
  distribution all{.count = samples.size(), .min = samples.front(), .max = samples.back()};
  all.avg = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : samples) squares += (sample - all.avg) * (sample - all.avg);
  all.std = std::sqrt(squares / count);
  all.p1 = percentile(samples, 1);
  all.p5 = percentile(samples, 5);
  all.p10 = percentile(samples, 10);
  all.p25 = percentile(samples, 25);
  all.p50 = percentile(samples, 50);
  all.p75 = percentile(samples, 75);
  all.p90 = percentile(samples, 90);
  all.p95 = percentile(samples, 95);
  all.p99 = percentile(samples, 99);
  return all;
}

}  // namespace photofinish::gateway::bench
