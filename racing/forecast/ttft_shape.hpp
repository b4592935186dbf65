// The distribution of a target's times to the first token around its level. [pure] The residuals r = ln T - level - the
// logarithm of the prompt's effect are counted in steps of 10 %, separately for seen and cut attempts. Kaplan and
// Meier's estimator turns the counts into a survival curve.
#pragma once

#include <array>
#include <cstddef>

namespace photofinish::racing {

// The logarithm of 1.1: the step between residuals and between the times of the grid.
inline constexpr double log_step = 0.09531017980432487;
inline constexpr double least_residual = -2.5;
// The number of bins for residuals. The largest residual is 5.1, which is 160 times the usual time.
inline constexpr std::size_t residual_bins = 80;

// The share of first tokens whose residual is larger than a given residual, stored as a table.
class survival_curve {
 public:
  using edges = std::array<float, residual_bins + 1>;

  survival_curve();  // the prior
  explicit survival_curve(const edges& alive);

  double at(double residual) const;
  double quantile(double alive) const;     // returns the residual that a share `alive` (0..1) of the attempts exceeds
  // Returns the expected residual of an attempt that has been silent up to `residual`.
  double mean_above(double residual) const;
  double middle() const { return middle_; }
  // Half the distance between the residuals of the shares 16 % and 84 %, at least .15.
  double spread() const { return spread_; }

 private:
  edges alive_{};  // silent share at each bin's lower edge; the first share is 1
  edges tail_{};   // the integral of the curve from each edge to the end
  double middle_ = 0;
  double spread_ = 0;
};

// The residual of one attempt, as evidence for the distribution of its target's times.
struct residual_sample {
  double residual = 0;
  double weight = 1;
  bool is_seen = true;  // true if the first token was seen; false if the attempt was cut at this residual
};

class ttft_shape {
 public:
  using bins = std::array<float, residual_bins>;

  void add(const residual_sample& sample) {
    if (sample.is_seen) add_seen(sample.residual);
    else add_cut(sample.residual, sample.weight);
  }
  void add_seen(double residual);
  void add_cut(double residual, double weight);
  void forget(double seconds);  // lets evidence fade: evidence that is an hour old has the weight 1/e

  void merge(const ttft_shape& other);

  survival_curve curve() const;
  // Returns the curve without data above `residual`. Attempts that are silent at that residual then count as silent for
  // ever.
  survival_curve curve_until(double residual) const;
  // Returns the largest residual to which at least `at_risk` attempts, seen or cut, were observed. The result is below
  // every residual if there were fewer attempts.
  double watched_until(double at_risk) const;

  const bins& seen() const { return seen_; }
  const bins& cut() const { return cut_; }
  void restore(const bins& seen, const bins& cut) { seen_ = seen, cut_ = cut; }
  bool operator==(const ttft_shape&) const = default;

 private:
  bins seen_{};
  bins cut_{};
};

}  // namespace photofinish::racing
