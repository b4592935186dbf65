#include "racing/forecast/prompt_part.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr std::uint64_t unsure = 20;      // this number of samples is needed before the effect of prompt sizes is used
// A new estimate of the effect of prompt sizes replaces the current estimate only if its errors are smaller than this
// share of the current errors. It must therefore explain the measured times 5 % better.
constexpr double worth_changing = 0.95;
constexpr double loss_rate = 0.01, mean_rate = 0.03;

}  // namespace

double prompt_part::log_part(double input_tokens) const { return std::log1p(rho() * std::max(0.0, input_tokens)); }

double prompt_part::add(double log_time, double input_tokens) {
  if (!std::isfinite(log_time) || !std::isfinite(input_tokens)) return 0;
  const double tokens = std::max(0.0, input_tokens);
  const double n = static_cast<double>(++samples_);
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    line& each = lines_[index];
    const double rest = log_time - std::log1p(per_token(index) * tokens);
    if (samples_ == 1) each.mean = rest;
    each.loss += std::max(1 / n, loss_rate) * (std::abs(rest - each.mean) - each.loss);
    each.mean += std::max(1 / n, mean_rate) * (rest - each.mean);
  }
  if (samples_ < unsure) return 0;
  const auto best = std::min_element(lines_.begin(), lines_.end(),
                                     [](const line& a, const line& b) { return a.loss < b.loss; });
  const auto index = static_cast<std::size_t>(best - lines_.begin());
  if (index == chosen_) return 0;
  if (index > chosen_ && best->loss > worth_changing * lines_[chosen_].loss) return 0;
  const double moved = best->mean - lines_[chosen_].mean;
  chosen_ = index;
  return moved;
}

}  // namespace photofinish::racing
