// Adds up the series of many shards by metric and label values, in the form that prometheus-cpp serializes. The
// scraping thread creates, fills and empties the object for one scrape.
#pragma once

#include "metrics/cells.hpp"
#include "metrics/names.hpp"

#include <prometheus/metric_family.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

class merged_families {
 public:
  // The values of a series' labels, in the order of the metric's label names.
  using label_values = std::initializer_list<std::string_view>;

  // Adds to the value of a counter or a gauge. A value of zero also creates the series.
  void add(const metric& which, label_values values, double amount);
  void add(const metric& which, label_values values, std::integral auto count) {
    add(which, values, static_cast<double>(count));
  }

  // Adds the value of a worker's cell. A counter whose value is 0 adds no series, but a gauge always adds one.
  void add(const metric& which, label_values values, const counter_cell& cell) { add_counted(which, values, cell); }
  void add(const metric& which, label_values values, const sum_cell& cell) { add_counted(which, values, cell); }
  void add(const metric& which, label_values values, const gauge_cell& cell) {
    add(which, values, static_cast<double>(cell.value()));
  }
  template <const auto& Metric>
  void add(const metric& which, label_values values, const histogram<Metric>& cells) {
    const auto reading = cells.read();
    if (reading.count() > 0) add_buckets(which, values, reading.counts, reading.sum);
  }

  // Returns the families in the order of names::all, without metrics that have no series, and empties this object.
  std::vector<prometheus::MetricFamily> take();

 private:
  using series_by_labels = std::map<std::vector<std::string>, prometheus::ClientMetric>;

  void add_counted(const metric& which, label_values values, const auto& cell) {
    const double amount = static_cast<double>(cell.value());
    if (amount > 0) add(which, values, amount);
  }
  prometheus::ClientMetric& series(const metric& which, label_values values);
  void add_buckets(const metric& which, label_values values, std::span<const std::uint64_t> counts,
                   double sum);

  std::map<const metric*, series_by_labels> families_;
};

}  // namespace photofinish::metrics
