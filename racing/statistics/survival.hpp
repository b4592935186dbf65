// Estimates quantiles of times, some of which were not observed to their end. This is the Kaplan-Meier estimator on the
// buckets of a sketch. For example, if a loser was cancelled after 300 ms, its first token would have taken at least
// 300 ms. If such losers were ignored, slow providers would look fast, because only their fast attempts win. [pure]
#pragma once

#include "racing/statistics/sketch.hpp"

#include <optional>

namespace photofinish::racing {

// Observed times. `seen` contains the times after which the event happened. `censored` contains the times after which
// the observation ended without the event.
struct survival_times {
  sketch seen;
  sketch censored;

  void merge(const survival_times& other) {
    seen.merge(other.seen);
    censored.merge(other.censored);
  }
  bool empty() const { return seen.empty() && censored.empty(); }
  bool operator==(const survival_times&) const = default;
};

enum class bound {
  exact,     // the quantile is exact, within the error of the sketch
  at_least,  // the quantile is a lower bound (the longest observed time): too many observations ended early
};

struct survival_quantile {
  double seconds = 0;
  bound is = bound::exact;

  bool operator==(const survival_quantile&) const = default;
};

// Returns the time after which `share` (0..1) of all values have had their event, or nothing if there are no values. If
// an event and an end of observation are in the same bucket, the event counts as earlier. The estimator assumes that
// the end of the observation does not depend on the time of the event: see docs/decisions/0007-seventy-two-hours.md.
std::optional<survival_quantile> survival_quantile_of(const survival_times& times, double share);

}  // namespace photofinish::racing
