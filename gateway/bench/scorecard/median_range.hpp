// Computes how certain a median is, and whether two medians differ: a bootstrap over the rounds of a comparison. [pure]
// It draws both endpoints' samples of a round together, so that conditions that affected both do not appear as a
// difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace photofinish::gateway::bench {

using samples_by_round = std::vector<std::vector<double>>;  // a round without an answer is empty

struct value_range {
  double low = 0, high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
};

// With fewer rounds that have samples, there is no result.
inline constexpr std::size_t fewest_rounds = 5;

std::optional<double> median_of(const samples_by_round& samples);

// The 95 % confidence interval of the median.
std::optional<value_range> median_range(const samples_by_round& samples, std::uint64_t seed);

// The confidence interval of median(of)
// median(by), for `confidence` such as 0.95. Both must have the same rounds.
std::optional<value_range> ratio_range(const samples_by_round& of, const samples_by_round& by, double confidence,
                                       std::uint64_t seed);

}  // namespace photofinish::gateway::bench
