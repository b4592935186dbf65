#include "metrics/merged_families.hpp"

#include <cassert>
#include <limits>
#include <utility>

namespace photofinish::metrics {

namespace {

prometheus::MetricType type_of(metric_kind kind) {
  switch (kind) {
    case metric_kind::counter: return prometheus::MetricType::Counter;
    case metric_kind::gauge: return prometheus::MetricType::Gauge;
    case metric_kind::histogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric labelled(const metric& which, const std::vector<std::string>& values) {
  prometheus::ClientMetric series;
  for (std::size_t i = 0; i < values.size(); ++i)
    series.label.push_back({std::string(which.labels[i]), values[i]});
  for (const double edge : which.buckets) series.histogram.bucket.push_back({0, edge});
  if (!which.buckets.empty()) series.histogram.bucket.push_back({0, std::numeric_limits<double>::infinity()});
  return series;
}

}  // namespace

void merged_families::add(const metric& which, label_values values, double amount) {
  prometheus::ClientMetric& merged = series(which, values);
  (which.kind == metric_kind::counter ? merged.counter.value : merged.gauge.value) += amount;
}

void merged_families::add_buckets(const metric& which, label_values values,
                                  std::span<const std::uint64_t> counts, double sum) {
  prometheus::ClientMetric::Histogram& merged = series(which, values).histogram;
  assert(merged.bucket.size() == counts.size());
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    so_far += counts[i];
    merged.bucket[i].cumulative_count += so_far;
  }
  merged.sample_count += so_far;
  merged.sample_sum += sum;
}

prometheus::ClientMetric& merged_families::series(const metric& which, label_values values) {
  assert(values.size() == which.labels.size());
  std::vector<std::string> key(values.begin(), values.end());
  series_by_labels& family = families_[&which];
  const auto found = family.find(key);
  if (found != family.end()) return found->second;
  prometheus::ClientMetric fresh = labelled(which, key);
  return family.emplace(std::move(key), std::move(fresh)).first->second;
}

std::vector<prometheus::MetricFamily> merged_families::take() {
  std::vector<prometheus::MetricFamily> taken;
  for (const metric* which : names::all) {
    auto found = families_.extract(which);
    if (found.empty()) continue;
    prometheus::MetricFamily family{
        std::string(which->name), std::string(which->help), type_of(which->kind), {}};
    for (auto& [values, series] : found.mapped()) family.metric.push_back(std::move(series));
    taken.push_back(std::move(family));
  }
  assert(families_.empty());  // if this assertion fails, names::all lacks a metric
  return taken;
}

}  // namespace photofinish::metrics
