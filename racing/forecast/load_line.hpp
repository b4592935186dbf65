// Predicts a figure of a target from the number of this gateway's attempts that run at the target, by a line through
// the values of the last minutes. [pure] This gateway's load follows the time of day, and so does the load of a
// provider's other customers. A line through all samples would attribute the effect of the other customers' load to
// this gateway. The line therefore uses deviations from means over about two minutes.
#pragma once

#include <cstdint>

namespace photofinish::racing {

struct load_rules {
  double ridge;       // added to the variance of the load, because a small variation is weak evidence
  double most_slope;
  double renewed_after = 1e9;  // seconds without a value after which the next value replaces all earlier values
};

// The coefficients of the line as plain values.
struct load_reading {
  double mean = 0;
  double mean_load = 1;
  double slope = 0;  // never negative
  double least = 0;  // smallest value that the line predicts
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
  double tenth_ = 0;  // tenth percentile of the values, updated step by step
  std::uint64_t samples_ = 0;
};

}  // namespace photofinish::racing
