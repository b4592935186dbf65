// Quantiles of times, some of which were not observed to their end: Kaplan and Meier's estimator on a sketch's buckets.
// [pure] A loser that was cancelled after 300 ms shows that its first token would have taken at least 300 ms. Ignoring
// such losers would make slow providers look fast, because only their fast attempts win.
#pragma once

#include "racing/statistics/sketch.hpp"

#include <optional>

namespace photofinish::racing {

// Observed times. `seen` has the times at which the event happened. `censored` has the ages at which the observation
// ended without the event.
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
  exact,     // the quantile is exact within the sketch's error
  at_least,  // a lower bound, which is the longest observed time: too many observations ended earlier
};

struct survival_quantile {
  double seconds = 0;
  bound is = bound::exact;

  bool operator==(const survival_quantile&) const = default;
};

// Returns the time by which `share` (0..1) of all values have had their event, or nothing if there are no values.
// Within one bucket, events count as earlier than censored ages. The estimator assumes that censoring is independent of
// the times: see docs/decisions/0007-seventy-two-hours.md.
std::optional<survival_quantile> survival_quantile_of(const survival_times& times, double share);

}  // namespace photofinish::racing
