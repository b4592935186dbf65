#include "racing/statistics/stats_report.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace photofinish::racing {
namespace {

struct merged_target {
  stats_figures all;
  std::array<stats_figures, input_classes> by_input;
  std::array<stats_figures, concurrency_classes> by_concurrency;
};

bool is_empty(const stats_figures& figures) { return figures.ttft.empty() && figures.speed.empty(); }

template <std::size_t count>
std::vector<class_figures> classes_of(const std::array<stats_figures, count>& merged, value_class range(std::size_t)) {
  std::vector<class_figures> classes;
  for (std::size_t index = 0; index < count; ++index)
    if (!is_empty(merged[index])) classes.push_back({range(index), figures_of(merged[index])});
  return classes;
}

stats_report report_of(const stats_window& window, wall_time now, std::chrono::milliseconds length, resolution in) {
  const std::int64_t oldest = window.oldest_slot(now, length, in);
  std::map<std::string, merged_target> merged;
  for (const auto& [key, series] : window.series())
    for (const stats_slot& slot : in == resolution::fine ? series.fine : series.coarse) {
      if (slot.number < oldest) continue;
      merged_target& target = merged[key.target];
      target.all.merge(slot.figures);
      target.by_input[key.input].merge(slot.figures);
      target.by_concurrency[key.concurrency].merge(slot.figures);
    }
  stats_report report{.as_of = now, .window = length, .targets = {}};
  for (const auto& [name, target] : merged)
    report.targets.push_back({name, figures_of(target.all), classes_of(target.by_input, input_class),
                              classes_of(target.by_concurrency, concurrency_class)});
  return report;
}

}  // namespace

target_figures figures_of(const stats_figures& from) {
  target_figures made;
  made.ttft.seen = from.ttft.seen.count();
  made.ttft.censored = from.ttft.censored.count();
  made.ttft.p50 = survival_quantile_of(from.ttft, 0.50).value_or(survival_quantile{});
  made.ttft.p95 = survival_quantile_of(from.ttft, 0.95).value_or(survival_quantile{});
  made.ttft.p99 = survival_quantile_of(from.ttft, 0.99).value_or(survival_quantile{});
  made.speed.count = from.speed.count();
  made.speed.p50 = from.speed.quantile(0.50).value_or(0);
  made.speed.p95 = from.speed.quantile(0.95).value_or(0);
  made.speed.p99 = from.speed.quantile(0.99).value_or(0);
  return made;
}

const target_report* stats_report::find(std::string_view target) const {
  const auto at = std::lower_bound(targets.begin(), targets.end(), target,
                                   [](const target_report& each, std::string_view name) { return each.target < name; });
  return at != targets.end() && at->target == target ? &*at : nullptr;
}

stats_report make_stats_report(const stats_window& window, wall_time now) {
  return report_of(window, now, window.shape().length(), resolution::coarse);
}

stats_report make_stats_report(const stats_window& window, wall_time now, std::chrono::milliseconds length) {
  const window_shape& shape = window.shape();
  const bool is_fine = length <= shape.fine * shape.fine_count;
  return report_of(window, now, std::min(length, shape.length()), is_fine ? resolution::fine : resolution::coarse);
}

}  // namespace photofinish::racing
