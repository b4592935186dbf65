#include "racing/adaptive/choice_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace photofinish::racing {
namespace {

// The share of a hedge's benefit that is lost if the hedge's target and the first target belong to the same vendor.
constexpr double shared_gain = 1.0 / 3;
// The limits of a target's level, which is the natural logarithm of its usual time in seconds. The corresponding times,
// 180 s and 20 ms, are near the ends of the time grid.
constexpr double most_level = 5.2, least_level = -4;

double sane_level(double level) { return std::isfinite(level) ? std::clamp(level, least_level, most_level) : 0; }

// Shifts the survival curve `alive` to the left by `delay`. The result uses the same grid of times.
grid_values later(const grid_values& alive, double delay) {
  if (!(delay > 0)) return alive;
  const auto& times = grid_times();
  grid_values shifted{};
  std::size_t at = 0;
  for (std::size_t k = 0; k < grid_points; ++k) {
    const auto time = static_cast<float>(static_cast<double>(times[k]) + delay);
    while (at + 1 < grid_points && times[at + 1] <= time) ++at;
    if (at + 1 >= grid_points) shifted[k] = alive[grid_points - 1];
    else if (time < times[0]) shifted[k] = 1 + (alive[0] - 1) * time / times[0];
    else shifted[k] = alive[at] + (alive[at + 1] - alive[at]) * (time - times[at]) / (times[at + 1] - times[at]);
  }
  return shifted;
}

// Integrates a product of survival curves over the grid of times. `begin` is the value of the product at time 0.
// `never` is the share of attempts that never answer, which the result does not include.
double area(const grid_values& product, double begin, double never) {
  const auto& times = grid_times();
  float sum = times[0] * (static_cast<float>(begin) + product[0]);
  for (std::size_t k = 1; k < grid_points; ++k) sum += (times[k] - times[k - 1]) * (product[k] + product[k - 1]);
  return 0.5 * static_cast<double>(sum) - never * static_cast<double>(times[grid_points - 1]);
}

double area_until(const grid_values& alive, double begin, double end) {
  const auto& times = grid_times();
  if (!(end > 0)) return 0;
  double sum = 0, from = 0, value = begin;
  for (std::size_t k = 0; k < grid_points; ++k) {
    const double to = static_cast<double>(times[k]), next = static_cast<double>(alive[k]);
    if (to >= end) {
      const double part = to > from ? (end - from) / (to - from) : 0;
      return sum + (end - from) * (value + 0.5 * part * (next - value));
    }
    sum += 0.5 * (to - from) * (value + next);
    from = to, value = next;
  }
  return sum + (end - from) * value;
}

// Returns the share of races in which one attempt answers while the other attempt is still silent. `answers` and
// `silent` are the survival curves of the two attempts.
double answers_first(const grid_values& answers, const grid_values& silent, double silent_at_start) {
  float before = 1, other = static_cast<float>(silent_at_start), sum = 0;
  for (std::size_t k = 0; k < grid_points; ++k) {
    sum += (before - answers[k]) * (other + silent[k]);
    before = answers[k], other = silent[k];
  }
  return 0.5 * static_cast<double>(sum);
}

grid_values product_of(const grid_values& a, const grid_values& b) {
  grid_values both{};
  for (std::size_t k = 0; k < grid_points; ++k) both[k] = a[k] * b[k];
  return both;
}

// Returns the time in seconds at which the decreasing curve `alive` reaches `share`.
double time_at(const grid_values& alive, double share) {
  const auto& times = grid_times();
  for (std::size_t k = 0; k < grid_points; ++k) {
    const double here = static_cast<double>(alive[k]);
    if (here > share) continue;
    const double before = k == 0 ? 1 : static_cast<double>(alive[k - 1]);
    const double from = k == 0 ? 0 : static_cast<double>(times[k - 1]), to = static_cast<double>(times[k]);
    return before > here ? to - (to - from) * (share - here) / (before - here) : to;
  }
  return static_cast<double>(times[grid_points - 1]);
}

double hang_of(const table_row& row) { return static_cast<double>(row.known.hang_share); }

}  // namespace

choice_table::choice_table(std::span<const table_target> targets, double tokens, bool thirds)
    : tokens_(std::isfinite(tokens) ? std::max(0.0, tokens) : 0) {
  targets = targets.first(std::min(targets.size(), max_rows));
  double best = std::numeric_limits<double>::infinity();
  for (const table_target& each : targets)
    if (each.known->samples > 0) best = std::min(best, each.known->level);
  rows_->reserve(targets.size());
  for (const table_target& each : targets) add_row(each, std::isfinite(best) ? best : each.known->level);
  rank();
  fill_pairs();
  if (thirds) fill_thirds();
}

void choice_table::add_row(const table_target& target, double best_level) {
  table_row row;
  row.known = *target.known;
  row.vendor = target.vendor;
  target_forecast& known = row.known;
  if (known.samples == 0) known.level = best_level;
  known.level = sane_level(known.level);
  known.shift = std::isfinite(known.shift) ? std::max(0.0, known.shift) : 0;
  known.hang_share = std::isfinite(known.hang_share) ? std::clamp(known.hang_share, 0.0, 0.99) : 0;
  known.error_share = std::isfinite(known.error_share) ? std::clamp(known.error_share, 0.0, 0.99) : 0;
  known.rho = std::isfinite(known.rho) ? std::max(0.0, known.rho) : 0;
  row.part = 1 + known.rho * tokens_;
  const double level = sane_level(known.level + std::log(row.part));
  const double now = sane_level(level + known.shift);
  row.usual = std::exp(level + known.shape.quantile(0.5));
  row.late = std::exp(level + known.shape.quantile(0.01));
  grid_values answering{};
  double residual = std::log(grid_first) - now;
  for (std::size_t k = 0; k < grid_points; ++k, residual += log_step) {
    const double alive = known.shape.at(residual);
    answering[k] = static_cast<float>(alive);
    row.alive[k] = static_cast<float>(known.hang_share + (1 - known.hang_share) * alive);
  }
  row.alone = (1 - known.hang_share) * area(answering, 1, 0) + known.hang_share * hang_seconds;
  for (std::size_t k = 1; k < hedge_shares.size(); ++k)
    row.delays[k] = std::exp(now + known.shape.quantile(hedge_shares[k]));
  rows_->push_back(row);
}

void choice_table::rank() {
  paired_.resize(rows_->size());
  std::iota(paired_.begin(), paired_.end(), std::size_t{0});
  std::sort(paired_.begin(), paired_.end(), [&rows = *rows_](std::size_t a, std::size_t b) {
    return rows[a].alone < rows[b].alone || (rows[a].alone == rows[b].alone && a < b);
  });
  if (paired_.size() > max_paired) paired_.resize(max_paired);
}

void choice_table::fill_pairs() {
  pairs_.resize(paired_.size() * paired_.size() * hedge_shares.size());
  for (std::size_t first = 0; first < paired_.size(); ++first) {
    const table_row& i = (*rows_)[paired_[first]];
    for (std::size_t delay = 0; delay < hedge_shares.size(); ++delay) {
      const grid_values rest = later(i.alive, i.delays[delay]);
      const double silent = value_at(i.alive, i.delays[delay]);
      const double before = area_until(i.alive, 1, i.delays[delay]);
      for (std::size_t second = 0; second < paired_.size(); ++second) {
        if (second == first) continue;
        const table_row& j = (*rows_)[paired_[second]];
        const double both_hang = hang_of(i) * hang_of(j);
        double first_token = before + area(product_of(rest, j.alive), silent, both_hang) + hang_seconds * both_hang;
        double second_wins = answers_first(j.alive, rest, silent);
        if (i.vendor == j.vendor) {
          first_token += shared_gain * std::max(0.0, i.alone - first_token);
          second_wins *= 1 - shared_gain;
        }
        const double late = std::max(0.0, silent - second_wins - both_hang);
        pairs_[(first * paired_.size() + second) * hedge_shares.size() + delay] = {
            static_cast<float>(first_token), static_cast<float>(second_wins), static_cast<float>(late)};
      }
    }
  }
}

void choice_table::fill_thirds() {
  third_places_ = std::min(paired_.size(), max_thirds + 1);
  if (third_places_ < 3) return;
  thirds_.resize(third_places_ * third_places_ * third_delays * third_places_ * third_shares.size());
  for (std::size_t first = 0; first < third_places_; ++first)
    for (std::size_t second = 0; second < third_places_; ++second)
      for (std::size_t delay = 0; delay < third_delays && second != first; ++delay) {
        const table_row& i = (*rows_)[paired_[first]];
        const table_row& j = (*rows_)[paired_[second]];
        const grid_values both = product_of(later(i.alive, i.delays[delay]), j.alive);
        const double silent = value_at(i.alive, i.delays[delay]);
        const double before = area_until(i.alive, 1, i.delays[delay]);
        for (std::size_t share = 0; share < third_shares.size(); ++share) {
          const double wait = share == 0 ? 0 : time_at(both, silent * third_shares[share]);
          const grid_values rest = later(both, wait);
          const double start = wait > 0 ? value_at(both, wait) : silent;
          const double until = before + area_until(both, silent, wait);
          for (std::size_t place = 0; place < third_places_; ++place) {
            if (place == first || place == second) continue;
            const table_row& k = (*rows_)[paired_[place]];
            const double never = hang_of(i) * hang_of(j) * hang_of(k);
            third_cell& cell = thirds_[third_index(first, second, delay, place) * third_shares.size() + share];
            const double mean = until + area(product_of(rest, k.alive), start, never) + hang_seconds * never;
            cell.first_token = static_cast<float>(mean);
            cell.starts = static_cast<float>(start);
            cell.third_wins = static_cast<float>(answers_first(k.alive, rest, start));
            cell.after = static_cast<float>(i.delays[delay] + wait);
          }
        }
      }
}

}  // namespace photofinish::racing
