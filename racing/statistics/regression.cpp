#include "racing/statistics/regression.hpp"

namespace photofinish::racing {
namespace {

std::map<std::string, stats_figures> whole_window(const stats_window& window) {
  std::map<std::string, stats_figures> merged;
  for (const auto& [key, series] : window.series())
    for (const stats_slot& slot : series.coarse) merged[key.target].merge(slot.figures);
  return merged;
}

// Compares the recent speed of a target with its usual speed. A slowdown of exactly the allowed size does not count as
// worse. read_ttft() does the same for the time to the first token, and returns nothing if the usual time is only a
// lower bound.
std::optional<regression_reading> read_speed(const stats_figures& recent, const stats_figures& all,
                                             const regression_rules& rules) {
  if (recent.speed.count() < rules.min_samples) return std::nullopt;
  regression_reading reading{.target = {}, .kind = regression::speed};
  reading.recent = recent.speed.quantile(0.5).value_or(0);
  reading.baseline = all.speed.quantile(0.5).value_or(0);
  reading.is_worse = reading.recent < rules.allowed_ratio * reading.baseline;
  return reading;
}

std::optional<regression_reading> read_ttft(const stats_figures& recent, const stats_figures& all,
                                            const regression_rules& rules) {
  if (recent.ttft.seen.count() < rules.min_samples) return std::nullopt;
  const auto now = survival_quantile_of(recent.ttft, 0.5), usual = survival_quantile_of(all.ttft, 0.5);
  if (!now || !usual || usual->is == bound::at_least) return std::nullopt;
  regression_reading reading{.target = {}, .kind = regression::ttft, .recent = now->seconds,
                             .baseline = usual->seconds};
  reading.is_worse = reading.baseline < rules.allowed_ratio * reading.recent;
  return reading;
}

}  // namespace

std::vector<regression_reading> read_regressions(const stats_window& window, const regression_rules& rules,
                                                 wall_time now) {
  std::vector<regression_reading> readings;
  const auto all = whole_window(window);
  for (const auto& [target, recent] : window.recent(now, rules.recent)) {
    const auto usual = all.find(target);
    if (usual == all.end()) continue;
    for (auto reading : {read_speed(recent, usual->second, rules), read_ttft(recent, usual->second, rules)})
      if (reading) {
        reading->target = target;
        readings.push_back(*reading);
      }
  }
  return readings;
}

std::vector<regression_alert> regression_watch::on(const std::vector<regression_reading>& readings, wall_time now) {
  std::vector<regression_alert> changes;
  for (const regression_reading& reading : readings)
    if (reading.is_worse) note(reading, now, changes);
  for (auto at = states_.begin(); at != states_.end();) {
    state& each = at->second;
    const auto grace = each.is_firing ? rules_.keep_firing : std::chrono::milliseconds{0};
    if (each.last_worse == now || now - each.last_worse < grace) {
      ++at;
      continue;
    }
    if (each.is_firing) {
      each.alert.ends_at = now;
      changes.push_back(each.alert);
    }
    at = states_.erase(at);
  }
  return changes;
}

void regression_watch::note(const regression_reading& reading, wall_time now,
                            std::vector<regression_alert>& changes) {
  const auto [at, is_new] = states_.try_emplace({reading.target, reading.kind});
  state& each = at->second;
  if (is_new) each.worse_since = now;
  each.last_worse = now;
  each.alert.target = reading.target;
  each.alert.kind = reading.kind;
  each.alert.recent = reading.recent;
  each.alert.baseline = reading.baseline;
  if (each.is_firing || now - each.worse_since < rules_.hold) return;
  each.is_firing = true;
  each.alert.starts_at = now;
  changes.push_back(each.alert);
}

void regression_watch::shift(std::chrono::milliseconds by) {
  for (auto& [which, each] : states_) {
    each.worse_since += by;
    each.last_worse += by;
    each.alert.starts_at += by;
  }
}

std::vector<regression_alert> regression_watch::firing() const {
  std::vector<regression_alert> all;
  for (const auto& [which, each] : states_)
    if (each.is_firing) all.push_back(each.alert);
  return all;
}

}  // namespace photofinish::racing
