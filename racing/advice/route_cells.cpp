#include "racing/advice/route_cells.hpp"

#include "racing/advice/minute_levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr std::size_t most_cells = 4'000;
// The levels (logarithms of usual times) of a cell's targets are multiples of this step. Rounding changes a level by at
// most 1.5 % in either direction.
constexpr double finest_step = 0.03;
// If the share of a target's attempts that fail is smaller than this, the failures are ignored, because they would not
// change the result.
constexpr double worth_a_cell = 0.02;
// The smallest share of hanging attempts that is counted. A smaller share can hardly be distinguished from ordinary
// long waits.
constexpr double least_hangs = 0.1;
constexpr std::size_t most_failing = 4;    // maximum number of targets whose failures are counted separately
constexpr std::size_t prompt_sizes = 20;
constexpr std::int32_t hour = 60;

struct cell_key {
  std::uint32_t failing = 0;
  std::array<std::int16_t, max_advised> level{}, hangs{};

  auto operator<=>(const cell_key&) const = default;
};

struct outcome { std::uint32_t failing = 0; double share = 1; };

// Returns the sets of targets that may fail together, with their probabilities. The targets are assumed to fail
// independently.
std::vector<outcome> outcomes_of(std::span<const level_reading> readings) {
  std::vector<outcome> all{{}};
  std::size_t separate = 0;
  for (std::size_t target = 0; target < readings.size() && separate < most_failing; ++target) {
    const double errors = readings[target].errors;
    if (errors < worth_a_cell) continue;
    ++separate;
    std::vector<outcome> further;
    for (const outcome& each : all) {
      if (errors < 1) further.push_back({each.failing, each.share * (1 - errors)});
      further.push_back({each.failing | 1u << target, each.share * errors});
    }
    all = std::move(further);
  }
  return all;
}

double level_of(const level_reading& reading, level_choice which) {
  if (which == level_choice::low) return reading.low;
  return which == level_choice::high ? reading.high : reading.level;
}

// Returns several sizes of prompts, each of which represents the same share of the requests. If no target's time
// depends on the size, returns a single size.
std::vector<double> usual_prompts(const route_record& route, std::span<const target_record* const> targets) {
  const bool is_one = std::none_of(targets.begin(), targets.end(), [](const auto* each) { return each->rho > 0; });
  const sketch all = prompts_of(route);
  if (all.empty()) return {0};
  if (is_one) return {all.mean()};
  std::vector<double> made;
  for (std::size_t size = 0; size < prompt_sizes; ++size)
    made.push_back(*all.quantile((static_cast<double>(size) + 0.5) / static_cast<double>(prompt_sizes)));
  return made;
}

class cell_maker {
 public:
  cell_maker(std::span<const target_record* const> targets, std::vector<double> prompts, double step)
      : targets_(targets), prompts_(std::move(prompts)), step_(step) {}

  void add(std::span<const level_reading> readings, level_choice which, double requests) {
    for (const outcome& failing : outcomes_of(readings))
      for (const double tokens : prompts_) {
        cell_key key{failing.failing, {}, {}};
        for (std::size_t target = 0; target < readings.size(); ++target) {
          const double level = level_of(readings[target], which) + std::log1p(targets_[target]->rho * tokens);
          const double hangs = readings[target].hangs < least_hangs ? 0 : readings[target].hangs;
          key.level[target] = static_cast<std::int16_t>(std::lround(std::clamp(level, -10.0, 10.0) / step_));
          key.hangs[target] = static_cast<std::int16_t>(std::lround(hangs * hang_steps));
        }
        const double weight = requests * failing.share / static_cast<double>(prompts_.size());
        sums& of = weights_[key];
        of.weight += weight;
        of.tokens += weight * tokens;
      }
  }

  bool is_crowded() const { return weights_.size() > most_cells; }

  std::vector<speed_cell> cells() const {
    std::vector<speed_cell> made;
    made.reserve(weights_.size());
    for (const auto& [key, sum] : weights_) {
      speed_cell& each = made.emplace_back();
      each.weight = sum.weight;
      each.tokens = sum.tokens / sum.weight;
      each.failing = key.failing;
      for (std::size_t target = 0; target < targets_.size(); ++target) {
        each.level[target] = static_cast<float>(key.level[target] * step_);
        each.hangs[target] = static_cast<float>(key.hangs[target] / hang_steps);
      }
    }
    return made;
  }

 private:
  static constexpr double hang_steps = 32;

  const std::span<const target_record* const> targets_;
  const std::vector<double> prompts_;
  const double step_;
  struct sums { double weight = 0, tokens = 0; };
  std::map<cell_key, sums> weights_;
};

}  // namespace

std::vector<speed_cell> make_cells(const route_record& route, std::span<const target_record* const> targets,
                                   level_choice which) {
  std::vector<minute_levels> levels;
  for (const target_record* each : targets) levels.emplace_back(each->minutes);
  const std::vector<double> prompts = usual_prompts(route, targets);
  for (double step = finest_step;; step *= 2) {
    cell_maker maker(targets, prompts, step);
    std::vector<level_reading> readings(targets.size());
    for (const route_minute& minute : route.minutes) {
      for (std::size_t target = 0; target < targets.size(); ++target)
        readings[target] = levels[target].at(minute.minute);
      maker.add(readings, which, minute.requests);
      if (maker.is_crowded() && step < 1) break;
    }
    if (!maker.is_crowded() || step >= 1) return maker.cells();
  }
}

double watched_share(const route_record& route, std::span<const target_record* const> targets) {
  double all = 0, watched = 0;
  std::vector<minute_levels> levels;
  levels.reserve(targets.size());
  for (const target_record* each : targets) levels.emplace_back(each->minutes);
  for (const route_minute& minute : route.minutes) {
    all += minute.requests;
    const bool is_watched = std::all_of(levels.begin(), levels.end(), [&](const minute_levels& each) {
      return each.at(minute.minute).away <= hour;
    });
    if (is_watched) watched += minute.requests;
  }
  return all > 0 ? watched / all : 0;
}

sketch prompts_of(const route_record& route) {
  sketch all;
  for (const route_slot& slot : route.slots) all.merge(slot.prompts);
  return all;
}

}  // namespace photofinish::racing
