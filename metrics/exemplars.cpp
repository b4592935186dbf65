#include "metrics/exemplars.hpp"

#include "metrics/buckets.hpp"

#include <cmath>
#include <iterator>
#include <utility>

namespace photofinish::metrics {

namespace {

std::vector<std::string> key_of(std::string_view metric_name, std::span<const std::string> label_values) {
  std::vector<std::string> key{std::string(metric_name)};
  key.insert(key.end(), label_values.begin(), label_values.end());
  return key;
}

}  // namespace

void exemplars::note(std::string_view trace_id, std::chrono::system_clock::time_point at,
                     std::span<const traced_value> values) {
  const double seconds = std::chrono::duration<double>(at.time_since_epoch()).count();
  for (const traced_value& each : values) {
    // Ignores infinite and negative values, as histograms do.
    if (!std::isfinite(each.value) || each.value < 0) continue;
    auto key = key_of(each.which->name, each.label_values);
    auto found = kept_.find(key);
    if (found == kept_.end()) {
      if (kept_.size() >= most_series) continue;
      found = kept_.emplace(std::move(key), kept_series{series_exemplars(each.which->buckets.size() + 1)}).first;
    }
    found->second.by_bucket[bucket_of(each.which->buckets, each.value)] =
        exemplar{std::string(trace_id), each.value, seconds};
  }
}

const series_exemplars* exemplars::show(std::string_view metric_name, std::span<const std::string> label_values) {
  const auto found = kept_.find(key_of(metric_name, label_values));
  if (found == kept_.end()) return nullptr;
  found->second.is_shown = true;
  return &found->second.by_bucket;
}

void exemplars::end_page() {
  for (auto each = kept_.begin(); each != kept_.end();)
    each = std::exchange(each->second.is_shown, false) ? std::next(each) : kept_.erase(each);
}

}  // namespace photofinish::metrics
