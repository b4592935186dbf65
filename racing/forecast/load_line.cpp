#include "racing/forecast/load_line.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double following_seconds = 120;
constexpr double least_rate = 0.02;
// Each new value moves the estimate of the quantile by this share of the estimate. A few hundred samples can move it
// across the whole range of values.
constexpr double quantile_step = 0.05;
constexpr double below_tenth = 0.9;

}  // namespace

void load_line::add(double value, double load, double seconds_since_last) {
  if (!std::isfinite(value) || !std::isfinite(load)) return;
  const double n = static_cast<double>(++samples_);
  if (samples_ == 1) {
    mean_ = tenth_ = value;
    mean_load_ = load;
    return;
  }
  const double off = value - mean_, load_off = load - mean_load_;
  const double rate = std::max(1 / (n + 1), least_rate);
  variance_ += rate * (load_off * load_off - variance_);
  covariance_ += rate * (off * load_off - covariance_);
  const bool is_renewed = seconds_since_last >= rules_.renewed_after;
  if (is_renewed) tenth_ = std::min(tenth_, value);
  const double follow = is_renewed ? 1 : std::max(1 / (n + 1), 1 - std::exp(-seconds_since_last / following_seconds));
  mean_ += follow * off;
  mean_load_ += follow * load_off;
  tenth_ += quantile_step * std::abs(tenth_) * (value < tenth_ ? -0.9 : 0.1);
}

double load_line::slope() const {
  return std::clamp(covariance_ / (variance_ + rules_.ridge), 0.0, rules_.most_slope);
}

load_reading load_line::read() const {
  return {mean_, mean_load_, slope(), below_tenth * tenth_, samples_};
}

}  // namespace photofinish::racing
