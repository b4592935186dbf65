// The distribution of a target's times to the first token, relative to its level (logarithm of the usual time). A
// residual is ln T - level - the logarithm of the prompt's effect. Residuals are counted in steps of 10 %, separately
// for attempts with a first token and for cancelled attempts. The Kaplan-Meier estimator turns the counts into a
// survival curve. [pure]
#pragma once

#include <array>
#include <cstddef>

namespace photofinish::racing {

// The logarithm of 1.1, so that each step is 10 %. This is the step between residuals, and the step between the times
// at which survival curves are stored.
inline constexpr double log_step = 0.09531017980432487;
inline constexpr double least_residual = -2.5;
// The number of bins for residuals. The largest residual is 5.1, which means 160 times the usual time.
inline constexpr std::size_t residual_bins = 80;

// A survival curve: the share of first tokens whose residual is larger than a given residual. It is stored as a table.
class survival_curve {
 public:
  using edges = std::array<float, residual_bins + 1>;

  survival_curve();  // the prior
  explicit survival_curve(const edges& alive);

  double at(double residual) const;
  double quantile(double alive) const;     // returns the residual that the share `alive` (0..1) of the attempts exceeds
  // Returns the expected residual of an attempt whose silence has lasted up to `residual`.
  double mean_above(double residual) const;
  double middle() const { return middle_; }
  // Returns half the distance between the 16th and the 84th percentile of the residuals, but at least .15.
  double spread() const { return spread_; }

 private:
  edges alive_{};  // share of first tokens that come after the lower edge of each bin; for the first bin it is 1
  // Integral of the survival curve from the lower edge of each bin to the end of the table.
  edges tail_{};
  double middle_ = 0;
  double spread_ = 0;
};

// The residual of one attempt, from which the distribution of its target's times is estimated.
struct residual_sample {
  double residual = 0;
  double weight = 1;
  bool is_seen = true;  // true if there was a first token; false if the attempt was cancelled before its first token
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
  void forget(double seconds);  // reduces the weight of old samples: after an hour it is 1/e

  void merge(const ttft_shape& other);

  survival_curve curve() const;
  // Returns the curve without data above `residual`. Attempts that are still silent at that residual count as silent
  // forever.
  survival_curve curve_until(double residual) const;
  // Returns the largest residual up to which at least `at_risk` attempts were observed, with or without a first token.
  // If there were fewer attempts, the result is below all residuals.
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
