#include "racing/adaptive/finish_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace photofinish::racing {
namespace {

// If the share of silent attempts is smaller than this, it counts as 0, because hardly any attempt was silent for so
// long.
constexpr double none_left = 1e-4;

double sane(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 1e6) : 1e6; }

// Returns one number for each point of the time grid: the expected seconds until the first token of an attempt that is
// still silent at that point.
std::array<double, grid_points> waits_of(const table_row& row, double stretch) {
  const auto& times = grid_times();
  const double hangs = row.known.hang_share;
  std::array<double, grid_points> waits{};
  double answering = 0;  // integral of the survival curve over all later times, without attempts that hang
  for (std::size_t k = grid_points; k-- > 0;) {
    const double alive = static_cast<double>(row.alive[k]);
    if (k + 1 < grid_points) {
      const double next = static_cast<double>(row.alive[k + 1]);
      answering += 0.5 * static_cast<double>(times[k + 1] - times[k]) * std::max(0.0, alive + next - 2 * hangs);
    }
    waits[k] = alive < none_left ? std::numeric_limits<double>::infinity()
                                 : (stretch * answering + hangs * hang_seconds) / alive;
  }
  return waits;
}

std::size_t point_at(double seconds) {
  const auto& times = grid_times();
  const auto at = std::lower_bound(times.begin(), times.end(), static_cast<float>(seconds));
  return std::min(static_cast<std::size_t>(at - times.begin()), grid_points - 1);
}

double left_of(const finisher& spoken) { return std::max(0.0, sane(spoken.decode) - sane(*spoken.spoken)); }

// Returns for how many seconds the race should wait for the silent attempt before it uses an attempt that already has
// its first token. After this time, the silent attempt will probably not finish sooner.
double worth_holding(const finisher& silent, double left) {
  const double stretch = std::clamp(sane(silent.stretch), 0.01, 100.0);
  const auto waits = waits_of(*silent.row, stretch);
  const double running = sane(silent.running);
  const std::size_t from = point_at(running / stretch);
  const double gain = left - waits[from] - sane(silent.decode);
  if (!(gain > std::max(least_gain, least_gain_share * left))) return 0;
  for (std::size_t k = from + 1; k < grid_points; ++k) {
    const double later = std::max(0.0, static_cast<double>(grid_times()[k]) * stretch - running);
    if (later + waits[k] + sane(silent.decode) >= left) return std::min(later, longest_hold);
  }
  return std::min(left, longest_hold);
}

}  // namespace

bool says_nothing(const table_row& row, double stretch, double silent) {
  constexpr double still_silent = 0.9;  // the share of attempts that are still silent, among attempts that will answer
  return value_at(row.alive, sane(silent) / std::clamp(sane(stretch), 0.01, 100.0)) > still_silent;
}

double expected_wait(const table_row& row, double stretch, double silent) {
  const double sane_stretch = std::clamp(sane(stretch), 0.01, 100.0);
  return waits_of(row, sane_stretch)[point_at(sane(silent) / sane_stretch)];
}

hold_choice choose_hold(std::span<const finisher> attempts) {
  double left = std::numeric_limits<double>::infinity();
  hold_choice made;
  for (const finisher& each : attempts)
    if (each.spoken && left_of(each) < left) left = left_of(each), made.best = each.attempt;
  for (const finisher& each : attempts)
    if (!each.spoken) made.seconds = std::max(made.seconds, worth_holding(each, left));
  return made;
}

}  // namespace photofinish::racing
