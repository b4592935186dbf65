#include "racing/adaptive/request_table.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

// The points of a survival curve. `first_point` is in seconds, each further point is `point_step` times the previous
// point, and the last point is 158 s.
constexpr double first_point = 0.03, point_step = 1.2;
constexpr double vendor_loss = 1.0 / 3;  // the share of a hedge's benefit that is lost if its target and the first
                                         // target belong to the same vendor
// The share of a hedge's benefit that is lost if the hedge uses the same target as the first attempt, because both may
// stall together.
constexpr double twin_gain = 0.35;
constexpr std::size_t lanes = 4;         // number of sums that the compiler can compute in parallel

struct request_grid {
  request_curve times{}, logs{}, weights{};
};

request_grid make_grid() {
  request_grid grid;
  double time = first_point;
  for (std::size_t k = 0; k < request_points; ++k, time *= point_step) {
    grid.times[k] = static_cast<float>(time);
    grid.logs[k] = static_cast<float>(std::log(time));
  }
  for (std::size_t k = 0; k < request_points; ++k) {
    // Between time 0 and the first point of the curve, nearly all attempts are silent.
    const float before = k == 0 ? -grid.times[0] : grid.times[k - 1];
    const float after = k + 1 < request_points ? grid.times[k + 1] : grid.times[k];
    grid.weights[k] = 0.5F * (after - before);
  }
  return grid;
}

const request_grid& grid() {
  static const request_grid made = make_grid();
  return made;
}

double sum_of(const request_curve& a, const request_curve& b) {
  std::array<float, lanes> sums{};
  for (std::size_t k = 0; k < request_points; k += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  return static_cast<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

double value_after(const request_curve& curve, double begin, double seconds) {
  const request_curve& times = grid().times;
  if (seconds <= first_point) return begin + (static_cast<double>(curve[0]) - begin) * seconds / first_point;
  const auto next = std::upper_bound(times.begin(), times.end(), static_cast<float>(seconds));
  if (next == times.end()) return static_cast<double>(curve.back());
  const auto k = static_cast<std::size_t>(next - times.begin());
  const double from = static_cast<double>(times[k - 1]), part = (seconds - from) / (static_cast<double>(*next) - from);
  return static_cast<double>(curve[k - 1]) * (1 - part) + static_cast<double>(curve[k]) * part;
}

// Shifts the survival curve to the left by `delay`.
request_curve later(const request_curve& curve, float begin, double delay) {
  const request_curve& times = grid().times;
  if (!(delay > 0)) return curve;
  request_curve shifted;
  std::size_t next = 0;
  for (std::size_t k = 0; k < request_points; ++k) {
    const float time = times[k] + static_cast<float>(delay);
    while (next < request_points && times[next] <= time) ++next;
    if (next == request_points) {
      shifted[k] = curve[request_points - 1];
      continue;
    }
    const float from = next == 0 ? 0 : times[next - 1], value = next == 0 ? begin : curve[next - 1];
    shifted[k] = value + (curve[next] - value) * (time - from) / (times[next] - from);
  }
  return shifted;
}

}  // namespace

request_table::request_table(const choice_table& table, std::span<const target_now> targets,
                             const choice_terms& terms, bool has_pairs) {
  std::array<std::uint8_t, max_rows> best{};
  std::size_t count = 0;
  for (std::size_t row = 0; row < terms.count; ++row)
    if (terms.rows[row].is_usable) best[count++] = static_cast<std::uint8_t>(row);
  const std::size_t wanted = std::min(count, request_rows);
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(wanted),
                    best.begin() + static_cast<std::ptrdiff_t>(count), [&terms](std::uint8_t a, std::uint8_t b) {
                      const double left = terms.rows[a].value, right = terms.rows[b].value;
                      return left < right || (left == right && a < b);
                    });
  for (std::size_t place = 0; place < wanted; ++place) {
    if (has_pairs) add_row(table.rows()[best[place]], targets[best[place]], best[place]);
    else rows_[places_++].row = best[place];
  }
  if (has_pairs) fill_pairs(terms);
}

void request_table::add_row(const table_row& row, const target_now& target, std::size_t index) {
  row_curves& made = rows_[places_++];
  const request_grid& points = grid();
  const request_outlook outlook = outlook_of(row, target);
  made.row = index;
  made.hang = row.known.hang_share;
  made.vendor = row.vendor;
  const auto answering = static_cast<float>(1 - made.hang);
  for (std::size_t k = 0; k < request_points; ++k)
    made.answering[k] =
        answering * static_cast<float>(outlook.silent(row.known.shape, static_cast<double>(points.logs[k])));
  float before = answering;
  for (std::size_t k = 0; k < request_points; ++k) {
    const float next = k + 1 < request_points ? made.answering[k + 1] : made.answering[k];
    // The answers in each interval are divided equally between the two points at its ends.
    made.answers[k] = 0.5F * (before - next);
    made.open[k] = points.weights[k] * (1 - static_cast<float>(made.hang) - made.answering[k]);
    before = made.answering[k];
  }
  made.answers[0] += 0.5F * (answering - made.answering[0]);
  made.alone = sum_of(made.answering, points.weights);
  std::size_t k = 0;
  made.delays[0] = 0;
  for (std::size_t share = 1; share < hedge_shares.size(); ++share) {
    const auto wanted = static_cast<float>(hedge_shares[share]) * answering;
    while (k + 1 < request_points && made.answering[k] > wanted) ++k;
    const float above = k == 0 ? answering : made.answering[k - 1], from = k == 0 ? 0 : points.times[k - 1];
    const float part = above > made.answering[k] ? (above - wanted) / (above - made.answering[k]) : 1;
    made.delays[share] = static_cast<double>(from + (points.times[k] - from) * std::clamp(part, 0.0F, 1.0F));
  }
}

// Computes the benefit in seconds of a hedge for each pair of targets i and j. An attempt at i has run for the time d
// when the hedge at j starts. A(t) is the share of attempts at i that will answer but are still silent after the time
// t, and S(t) is the same share for j. If the attempt at i answers, the benefit is the integral of A(u + d) (1 - S(u))
// du. If the attempt at i hangs, the hedge saves the wait for a rescue: the benefit is the time at which a rescue would
// answer, minus d, minus the hedge's own time.
void request_table::fill_pairs(const choice_terms& terms) {
  for (std::size_t first = 0; first < places_; ++first) {
    const row_curves& i = rows_[first];
    const double alone = terms.rows[i.row].alone_answering;
    const auto begin = static_cast<float>(1 - i.hang);
    for (std::size_t delay = 0; delay < hedge_shares.size(); ++delay) {
      const request_curve rest = later(i.answering, begin, i.delays[delay]);
      const double silent = value_after(i.answering, 1 - i.hang, i.delays[delay]) + i.hang;
      for (std::size_t second = 0; second < places_; ++second) {
        const row_curves& j = rows_[second];
        double gain = sum_of(rest, j.open) + i.hang * (hang_seconds * (1 - j.hang) - i.delays[delay] - j.alone);
        double wins = sum_of(rest, j.answers) + i.hang * (1 - j.hang);
        const double kept = first == second ? 1 - twin_gain : i.vendor == j.vendor ? 1 - vendor_loss : 1;
        gain *= kept, wins *= kept;
        const double late = std::max(0.0, silent - wins - i.hang * j.hang);
        pairs_[(first * request_rows + second) * hedge_shares.size() + delay] = {
            static_cast<float>(alone - gain), static_cast<float>(wins), static_cast<float>(late)};
      }
    }
  }
}

}  // namespace photofinish::racing
