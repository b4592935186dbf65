// Computes how certain a median is, and whether two medians differ, with a bootstrap over the rounds of a comparison.
// The bootstrap draws whole rounds with the samples of both endpoints. Therefore a condition that affected both
// endpoints in a round does not appear as a difference. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace photofinish::gateway::bench {

// The samples of each round. A round without an answer has an empty list.
using samples_by_round = std::vector<std::vector<double>>;

struct value_range {
  double low = 0, high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
};

// The smallest number of rounds for a confidence interval. Rounds without samples do not count.
inline constexpr std::size_t fewest_rounds = 5;

std::optional<double> median_of(const samples_by_round& samples);

// Returns the 95 % confidence interval of the samples' median.
std::optional<value_range> median_range(const samples_by_round& samples, std::uint64_t seed);

// Returns the confidence interval of median(of) / median(by). `confidence` is a probability such as 0.95. Both
// arguments must have the same rounds.
std::optional<value_range> ratio_range(const samples_by_round& of, const samples_by_round& by, double confidence,
                                       std::uint64_t seed);

}  // namespace photofinish::gateway::bench
