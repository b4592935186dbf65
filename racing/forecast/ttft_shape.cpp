#include "racing/forecast/ttft_shape.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double memory_seconds = 3'600;
// The weight of the assumed distribution, as a number of samples. It is large enough for a realistic tail, but small
// compared with a minute's traffic.
constexpr double prior_weight = 12;
constexpr double least_spread = 0.15;

double edge(std::size_t bin) { return least_residual + log_step * static_cast<double>(bin); }

std::size_t bin_of(double residual) {
  const double position = (residual - least_residual) / log_step;
  if (!(position > 0)) return 0;
  return std::min(static_cast<std::size_t>(std::min(position, 1e6)), residual_bins - 1);
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// Makes the distribution that is assumed before any measurement. It resembles most providers: 97 % of the times have
// the spread of good services, and 3 % are about five times the usual time.
std::array<float, residual_bins> make_prior() {
  const auto below = [](double r) {
    return 0.97 * normal_below(r / 0.35) + 0.03 * normal_below((r - std::log(5.0)) / 0.6);
  };
  std::array<float, residual_bins> prior{};
  for (std::size_t bin = 0; bin < residual_bins; ++bin)
    prior[bin] = static_cast<float>(prior_weight * (below(edge(bin + 1)) - below(edge(bin))));
  return prior;
}

const std::array<float, residual_bins>& prior() {
  static const auto made = make_prior();
  return made;
}

survival_curve::edges survive(const std::array<float, residual_bins>& seen,
                              const std::array<float, residual_bins>& cut) {
  std::array<double, residual_bins> at_risk{};
  double sum = 0;
  for (std::size_t bin = residual_bins; bin-- > 0;) {
    sum += static_cast<double>(seen[bin]) + static_cast<double>(prior()[bin]) + static_cast<double>(cut[bin]);
    at_risk[bin] = sum;
  }
  survival_curve::edges alive{};
  double share = 1;
  alive[0] = 1;
  for (std::size_t bin = 0; bin < residual_bins; ++bin) {
    const double events = static_cast<double>(seen[bin]) + static_cast<double>(prior()[bin]);
    if (at_risk[bin] > 0) share *= 1 - std::min(1.0, events / at_risk[bin]);
    alive[bin + 1] = static_cast<float>(share);
  }
  return alive;
}

}  // namespace

survival_curve::survival_curve() : survival_curve(ttft_shape{}.curve()) {}

survival_curve::survival_curve(const edges& alive) : alive_(alive) {
  for (std::size_t bin = residual_bins; bin-- > 0;)
    tail_[bin] = tail_[bin + 1] + static_cast<float>(0.5 * log_step) * (alive_[bin] + alive_[bin + 1]);
  middle_ = quantile(0.5);
  spread_ = std::max(0.5 * (quantile(0.16) - quantile(0.84)), least_spread);
}

double survival_curve::at(double residual) const {
  const double position = (residual - least_residual) / log_step;
  if (!(position > 0)) return 1;
  if (position >= static_cast<double>(residual_bins)) return static_cast<double>(alive_[residual_bins]);
  const auto bin = static_cast<std::size_t>(position);
  const double part = position - static_cast<double>(bin);
  return static_cast<double>(alive_[bin]) * (1 - part) + static_cast<double>(alive_[bin + 1]) * part;
}

double survival_curve::quantile(double alive) const {
  const auto first = std::find_if(alive_.begin(), alive_.end(),
                                  [alive](float each) { return static_cast<double>(each) <= alive; });
  if (first == alive_.begin()) return least_residual;
  if (first == alive_.end()) return edge(residual_bins);
  const auto bin = static_cast<std::size_t>(first - alive_.begin());
  const double above = static_cast<double>(alive_[bin - 1]);
  const double below = static_cast<double>(*first);
  const double part = above > below ? (above - alive) / (above - below) : 1;
  return edge(bin - 1) + log_step * std::clamp(part, 0.0, 1.0);
}

double survival_curve::mean_above(double residual) const {
  const double from = std::clamp(residual, least_residual, edge(residual_bins));
  const std::size_t bin = bin_of(from);
  const double here = at(from);
  if (here < 1e-6) return from;
  const double to_edge = 0.5 * (edge(bin + 1) - from) * (here + static_cast<double>(alive_[bin + 1]));
  return from + (to_edge + static_cast<double>(tail_[bin + 1])) / here;
}

void ttft_shape::add_seen(double residual) { seen_[bin_of(residual)] += 1; }

void ttft_shape::add_cut(double residual, double weight) {
  cut_[bin_of(residual)] += static_cast<float>(std::clamp(weight, 0.0, 1.0));
}

void ttft_shape::forget(double seconds) {
  const auto kept = static_cast<float>(std::exp(-std::max(0.0, seconds) / memory_seconds));
  for (float& each : seen_) each *= kept;
  for (float& each : cut_) each *= kept;
}

void ttft_shape::merge(const ttft_shape& other) {
  for (std::size_t bin = 0; bin < residual_bins; ++bin) seen_[bin] += other.seen_[bin], cut_[bin] += other.cut_[bin];
}

survival_curve ttft_shape::curve() const { return survival_curve(survive(seen_, cut_)); }

survival_curve ttft_shape::curve_until(double residual) const {
  survival_curve::edges alive = survive(seen_, cut_);
  for (std::size_t at = 1; at <= residual_bins; ++at)
    if (edge(at) > residual) alive[at] = alive[at - 1];
  return survival_curve(alive);
}

double ttft_shape::watched_until(double at_risk) const {
  double sum = 0;
  for (std::size_t bin = residual_bins; bin-- > 0;) {
    sum += static_cast<double>(seen_[bin]) + static_cast<double>(cut_[bin]);
    if (sum >= at_risk) return edge(bin + 1);
  }
  return least_residual - 1;
}

}  // namespace photofinish::racing
