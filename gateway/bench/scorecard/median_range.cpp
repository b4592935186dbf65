#include "gateway/bench/scorecard/median_range.hpp"

#include "gateway/bench/distribution.hpp"
#include "gateway/probes/chance.hpp"

#include <algorithm>

namespace photofinish::gateway::bench {
namespace {

constexpr std::size_t most_resamples = 2000, fewest_resamples = 200;
// The maximum number of samples that the bootstrap draws in total. The limit keeps the computation short even after a
// long run.
constexpr std::size_t most_drawn = 20'000'000;

std::size_t count_of(const samples_by_round& samples) {
  std::size_t count = 0;
  for (const auto& round : samples) count += round.size();
  return count;
}

std::size_t rounds_with_samples(const samples_by_round& samples) {
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [](const auto& round) { return !round.empty(); }));
}

// Returns the number of resamples for the bootstrap. If the rounds contain many samples, the number is lower, because
// each resample contains as many samples as all rounds together.
std::size_t resamples_for(std::size_t samples, std::size_t rounds) {
  return std::clamp(most_drawn / std::max<std::size_t>({samples, rounds, 1}), fewest_resamples, most_resamples);
}

std::optional<double> median(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

void add_round(const samples_by_round& from, std::size_t round, std::vector<double>& into) {
  into.insert(into.end(), from[round].begin(), from[round].end());
}

value_range middle_of(std::vector<double> values, double confidence) {
  std::sort(values.begin(), values.end());
  const double tail = (1 - confidence) / 2 * 100;
  return {percentile(values, tail), percentile(values, 100 - tail)};
}

}  // namespace

std::optional<double> median_of(const samples_by_round& samples) {
  std::vector<double> all;
  for (const auto& round : samples) all.insert(all.end(), round.begin(), round.end());
  return median(all);
}

std::optional<value_range> median_range(const samples_by_round& samples, std::uint64_t seed) {
  if (rounds_with_samples(samples) < fewest_rounds) return std::nullopt;
  chance draw(seed);
  std::vector<double> medians, drawn;
  const std::size_t resamples = resamples_for(count_of(samples), samples.size());
  for (std::size_t i = 0; i < resamples; ++i) {
    drawn.clear();
    for (std::size_t n = 0; n < samples.size(); ++n) add_round(samples, draw.below(samples.size()), drawn);
    if (const auto value = median(drawn)) medians.push_back(*value);
  }
  return middle_of(std::move(medians), 0.95);
}

std::optional<value_range> ratio_range(const samples_by_round& of, const samples_by_round& by, double confidence,
                                       std::uint64_t seed) {
  if (rounds_with_samples(of) < fewest_rounds || rounds_with_samples(by) < fewest_rounds) return std::nullopt;
  const std::size_t rounds = std::min(of.size(), by.size());
  chance draw(seed);
  std::vector<double> ratios, drawn_of, drawn_by;
  const std::size_t resamples = resamples_for(count_of(of) + count_of(by), rounds);
  for (std::size_t i = 0; i < resamples; ++i) {
    drawn_of.clear();
    drawn_by.clear();
    for (std::size_t n = 0; n < rounds; ++n) {
      const std::size_t round = draw.below(rounds);
      add_round(of, round, drawn_of);
      add_round(by, round, drawn_by);
    }
    const auto upper = median(drawn_of), lower = median(drawn_by);
    if (upper && lower && *lower > 0) ratios.push_back(*upper / *lower);
  }
  if (ratios.empty()) return std::nullopt;
  return middle_of(std::move(ratios), confidence);
}

}  // namespace photofinish::gateway::bench
