#include "racing/advice/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace photofinish::racing {
namespace {

using log_times = std::array<double, grid_points>;

// Returns the logarithm of an attempt's age at each time of the grid. The age is at most `limit`. Before the start of
// the attempt, the logarithm is -infinity.
log_times log_ages(double start, double limit) {
  log_times made{};
  for (std::size_t k = 0; k < grid_points; ++k) {
    const double age = std::min(static_cast<double>(grid_times()[k]) - start, limit);
    made[k] = age > 0 ? std::log(age) : -std::numeric_limits<double>::infinity();
  }
  return made;
}

class plan_run {
 public:
  plan_run(const what_if_plan& plan, std::span<const survival_curve> curves) : plan_(plan), curves_(curves) {
    for (std::size_t place = 0; place < curves.size(); ++place) {
      if (plan.start_of(place) >= what_if_plan::never) break;
      starts_.push_back(plan.start_of(place));
      ages_.push_back(log_ages(starts_.back(), plan.limit));
    }
  }

  void add(const speed_cell& cell) {
    std::array<std::size_t, max_advised> order{};
    std::size_t count = 0;
    for (std::size_t target = 0; target < curves_.size() && count < starts_.size(); ++target)
      if ((cell.failing >> target & 1u) == 0) order[count++] = target;
    const auto running = std::span<const std::size_t>(order).first(count);
    figures_.weight += cell.weight;
    add_starts(cell, running);
    add_times(cell, running);
  }

  const what_if_figures& figures() const { return figures_; }

 private:
  double silent(const speed_cell& cell, std::size_t target, double log_age) const {
    if (!(log_age > -1e300)) return 1;
    const double hangs = static_cast<double>(cell.hangs[target]);
    return hangs + (1 - hangs) * curves_[target].at(log_age - static_cast<double>(cell.level[target]));
  }

  void add_starts(const speed_cell& cell, std::span<const std::size_t> running) {
    for (std::size_t place = 0; place < running.size(); ++place) {
      double waiting = cell.weight;
      for (std::size_t before = 0; before < place; ++before) {
        const double age = std::min(starts_[place] - starts_[before], plan_.limit);
        if (age > 0) waiting *= silent(cell, running[before], std::log(age));
      }
      figures_.starts[running[place]] += waiting;
      figures_.started_tokens[running[place]] += waiting * cell.tokens;
    }
  }

  // Divides the answers in each interval of the grid among the targets. The share of a target is proportional to the
  // decrease of its survival curve in the interval.
  void add_times(const speed_cell& cell, std::span<const std::size_t> running) {
    std::array<double, max_advised> before{}, shrinks{};
    before.fill(1);
    double all_before = 1;
    for (std::size_t k = 0; k < grid_points; ++k) {
      double all = 1, shrink = 0;
      for (std::size_t place = 0; place < running.size(); ++place) {
        const double now = silent(cell, running[place], ages_[place][k]);
        shrinks[place] = before[place] > 0 ? 1 - now / before[place] : 0;
        shrink += shrinks[place];
        before[place] = now;
        all *= now;
      }
      if (shrink > 0)
        for (std::size_t place = 0; place < running.size(); ++place) {
          const double won = cell.weight * (all_before - all) * shrinks[place] / shrink;
          figures_.wins[running[place]] += won;
          figures_.won_tokens[running[place]] += won * cell.tokens;
        }
      figures_.silent[k] += cell.weight * all;
      all_before = all;
    }
  }

  const what_if_plan& plan_;
  const std::span<const survival_curve> curves_;
  std::vector<double> starts_;
  std::vector<log_times> ages_;
  what_if_figures figures_;
};

}  // namespace

double what_if_plan::start_of(std::size_t place) const {
  if (place >= most) return never;
  if (policy == race_policy::fallback) return static_cast<double>(place) * limit;
  if (place >= at_once) return never;
  return policy == race_policy::hedge ? static_cast<double>(place) * delay : 0;
}

double what_if_figures::quantile(double share) const {
  const double wanted = (1 - share) * weight;
  double before = weight, from = 0;
  for (std::size_t k = 0; k < grid_points; ++k) {
    const double to = static_cast<double>(grid_times()[k]);
    if (silent[k] <= wanted) {
      const double part = before > silent[k] ? (before - wanted) / (before - silent[k]) : 1;
      return from > 0 ? from * std::pow(to / from, part) : to * part;
    }
    before = silent[k], from = to;
  }
  return none;
}

grid_values what_if_figures::shares() const {
  grid_values made{};
  for (std::size_t k = 0; k < grid_points; ++k)
    made[k] = static_cast<float>(weight > 0 ? silent[k] / weight : 1);
  return made;
}

what_if_figures what_if(const what_if_plan& plan, std::span<const speed_cell> cells,
                        std::span<const survival_curve> curves) {
  plan_run run(plan, curves.first(std::min(curves.size(), max_advised)));
  for (const speed_cell& each : cells) run.add(each);
  return run.figures();
}

}  // namespace photofinish::racing
