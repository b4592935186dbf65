// Writes a page in OpenMetrics' text format 1.0.0, which supports exemplars. The text format of Prometheus does not
// support exemplars.
#pragma once

#include "metrics/exemplars.hpp"

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

// The value of the header `content-type` for pages in this format.
inline constexpr std::string_view open_metrics_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";

// True if the scraper accepts this format. `accept` is the value of its `accept` header. Prometheus accepts the format
// since version 2.5.
bool takes_open_metrics(std::string_view accept);

// Writes the page. Names, labels, numbers and edges are the same as in Prometheus' format, so that both formats give
// the same series. Removes the exemplars of series that are not in the page from `seen`.
std::string open_metrics_text(const std::vector<prometheus::MetricFamily>& page, exemplars& seen);

}  // namespace photofinish::metrics
