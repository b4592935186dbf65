#include "racing/forecast/level.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace photofinish::racing {
namespace {

constexpr double memory_seconds = 600;
// The smallest step with which a sample moves the estimated usual time, as a share of the sample's deviation. It is
// large enough to follow slow changes over an hour.
constexpr double least_step = 0.007;
constexpr double most_step = 1;       // a single sample moves the estimated usual time by at most a factor of e
// The maximum deviation of a sample, as a multiple of the usual spread. The value is chosen so that three extreme
// samples cause a jump, but two do not.
constexpr double most_z = 3;
// Only the part of a deviation that exceeds this value counts as evidence of a jump, because smaller deviations are
// usual. If this value were smaller, a lasting change of half the usual spread would be detected as a jump.
constexpr double slack = 0.75;
// A jump is detected when the sum of the deviations reaches this value. About one in 10,000 samples, including long
// waits, then causes a false jump.
constexpr double alarm = level::jump_alarm;
constexpr double support = alarm / 2;  // the smallest sum of the other callers' deviations that confirms a jump
// If an attempt may never have answered, its sample counts less: its weight is reduced by this factor times the
// probability that it would never have answered. The factor is less than 1, because some silent attempts are only slow.
constexpr double doubted = 0.6;
constexpr std::uint64_t unsure = 12;  // after this number of samples, the search for jumps begins
// At first, the usual time is the median of this number of samples. A median is used because one sample in thirty is an
// unusually long wait.
constexpr std::uint64_t settling = 5;

double median_of(std::span<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return 0.5 * (*half + *std::max_element(values.begin(), half));
}

double z_of(double residual, const survival_curve& shape) {
  return std::clamp((residual - shape.middle()) / shape.spread(), -most_z, most_z);
}

}  // namespace

void level::assume(double log_seconds) {
  if (samples_ == 0 && std::isfinite(log_seconds)) value_ = log_seconds;
}

void level::add(const level_sample& sample, const survival_curve& shape, double seconds_since_last) {
  if (!std::isfinite(sample.log_time)) return;
  const double residual = sample.log_time - value_;
  const double z = z_of(residual, shape) * (1 - doubted * sample.doubt);
  callers_[samples_ % crowd] = sample.caller;
  entries_[next_] = {sample.log_time, z, sample.caller};
  next_ = (next_ + 1) % kept;
  ++samples_;
  n_ = n_ * std::exp(-seconds_since_last / memory_seconds) + sample.information;
  if (samples_ <= settling) return begin(sample, shape.middle());
  // If the first token was never seen, its time is only an expected value. Such a value moves the estimated usual time
  // less than a measured value.
  const double rest = sample.information < 1 ? 1.5 : 0.5;
  value_ += weight_of(sample.caller) * (1 - doubted * sample.doubt) * std::clamp(residual, -most_step, most_step) *
            std::max(1 / (n_ + rest), least_step);
  watch(sample, z, shape.middle());
}

void level::begin(const level_sample&, double middle) {
  std::array<double, settling> values{};
  const auto count = static_cast<std::size_t>(samples_);
  for (std::size_t step = 0; step < count; ++step) values[step] = back(step).log_time;
  value_ = median_of(std::span(values).first(count)) - middle;
}

void level::watch(const level_sample&, double z, double middle) {
  up_ = std::max(0.0, up_ + z - slack);
  down_ = std::max(0.0, down_ - z - slack);
  up_run_ = up_ > 0 ? up_run_ + 1 : 0;
  down_run_ = down_ > 0 ? down_run_ + 1 : 0;
  if (samples_ <= unsure) return;
  if (up_ > alarm) {
    if (!has_support(up_run_, 1)) up_ = alarm;
    else ++jumps_up_, jump(up_run_, middle);
  } else if (down_ > alarm) {
    if (!has_support(down_run_, -1)) down_ = alarm;
    else ++jumps_down_, jump(down_run_, middle);
  }
}

// Computes the usual time from the last `run` samples after a jump. If several callers use the target, ignores the
// samples of the busiest caller.
void level::jump(std::size_t run, double middle) {
  std::array<double, kept> values{};
  const std::size_t count = std::min(run, kept);
  const std::optional<caller_id> left_out = is_shared() ? std::optional(busiest_of(count)) : std::nullopt;
  std::size_t taken = 0;
  for (std::size_t step = 0; step < count; ++step)
    if (back(step).caller != left_out) values[taken++] = back(step).log_time;
  value_ = median_of(std::span(values).first(taken)) - middle;
  n_ = static_cast<double>(taken);
  up_ = down_ = 0;
  up_run_ = down_run_ = 0;
}

// True if the samples show a jump even without the busiest caller's samples, or if the target has only one caller.
bool level::has_support(std::size_t run, double direction) const {
  if (!is_shared()) return true;
  const std::size_t count = std::min(run, kept);
  const caller_id busiest = busiest_of(count);
  double sum = 0;
  for (std::size_t step = 0; step < count; ++step)
    if (back(step).caller != busiest) sum += back(step).z * direction - slack;
  return sum > support;
}

// Returns the caller with the most samples among the last `count` samples. `count` is at least 1.
caller_id level::busiest_of(std::size_t count) const {
  const auto how_many = [&](caller_id caller) {
    std::size_t found = 0;
    for (std::size_t step = 0; step < count; ++step) found += back(step).caller == caller ? 1 : 0;
    return found;
  };
  caller_id busiest = back(0).caller;
  for (std::size_t step = 1; step < count; ++step)
    if (how_many(back(step).caller) > how_many(busiest)) busiest = back(step).caller;
  return busiest;
}

bool level::is_shared() const {
  const auto known = std::span(callers_).first(static_cast<std::size_t>(std::min<std::uint64_t>(samples_, crowd)));
  return std::any_of(known.begin(), known.end(), [&](caller_id each) { return each != known.front(); });
}

double level::weight_of(caller_id caller) const {
  const auto known = std::span(callers_).first(static_cast<std::size_t>(std::min<std::uint64_t>(samples_, crowd)));
  const auto own = static_cast<double>(std::count(known.begin(), known.end(), caller));
  const double others = static_cast<double>(known.size()) - own;
  return others == 0 ? 1 : std::min(1.0, others / own);
}

void level::move(double by) {
  if (!std::isfinite(by) || by == 0) return;
  value_ += by;
  for (entry& each : entries_) each.log_time += by;
  up_ = down_ = 0;
  up_run_ = down_run_ = 0;
}

double level::shift_by(std::span<const double> silent_residuals, const survival_curve& shape, double least) const {
  if (samples_ <= unsure) return 0;
  double sum = up_;
  std::vector<double> expected;
  expected.reserve(silent_residuals.size());
  for (const double each : silent_residuals) {
    expected.push_back(shape.mean_above(each));
    sum = std::max(0.0, sum + z_of(expected.back(), shape) - slack);
  }
  if (sum <= least || expected.empty()) return 0;
  return std::max(0.0, median_of(expected) - shape.middle());
}

}  // namespace photofinish::racing
