// How sure a median is, and whether two of them differ: a bootstrap over the rounds of a comparison. [pure]
// A round's samples of two endpoints are drawn together, so that what the hour did to both is no difference.
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

// Below this many rounds with a sample nothing is said.
inline constexpr std::size_t fewest_rounds = 5;

std::optional<double> median_of(const samples_by_round& samples);

// Where the median lies with 95 % confidence.
std::optional<value_range> median_range(const samples_by_round& samples, std::uint64_t seed);

// Where median(of) / median(by) lies with `confidence` (0.95). Both have the same rounds.
std::optional<value_range> ratio_range(const samples_by_round& of, const samples_by_round& by, double confidence,
                                       std::uint64_t seed);

}  // namespace photofinish::gateway::bench
