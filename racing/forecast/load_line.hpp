// Predicts one quantity of a target from the number of attempts that this gateway runs at the target. Uses a straight
// line through the values of the last minutes. The gateway's own traffic depends on the time of day, and so does the
// traffic of the provider's other customers. A line through all samples would attribute the effect of the other
// customers to this gateway. Therefore the line uses deviations from means over about two minutes. [pure]
#pragma once

#include <cstdint>

namespace photofinish::racing {

struct load_rules {
  double ridge;       // this number is added to the variance of the number of attempts, because small differences are
                      // weak evidence
  double most_slope;
  double renewed_after = 1e9;  // after this many seconds without a value, the next value replaces the mean
};

// The coefficients of the line, as plain values.
struct load_reading {
  double mean = 0;
  double mean_load = 1;
  double slope = 0;  // never negative
  double least = 0;  // minimum of the predicted values
  std::uint64_t samples = 0;

  double at(double load) const {
    const double value = mean + slope * (load - mean_load);
    return value > least ? value : least;
  }
};

class load_line {
 public:
  explicit load_line(const load_rules& rules) : rules_(rules) {}

  void add(double value, double load, double seconds_since_last);
  load_reading read() const;
  double slope() const;
  double mean_load() const { return mean_load_; }

 private:
  load_rules rules_;
  double mean_ = 0, mean_load_ = 1;
  double variance_ = 0, covariance_ = 0;
  double tenth_ = 0;  // tenth percentile of the values, adjusted with each new value
  std::uint64_t samples_ = 0;
};

}  // namespace photofinish::racing
