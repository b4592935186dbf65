// A page in OpenMetrics' text format 1.0.0, which, unlike Prometheus' own, has a place for exemplars.
#pragma once

#include "metrics/exemplars.hpp"

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

// For the header `content-type`.
inline constexpr std::string_view open_metrics_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";

// Whether a scraper that sends that `accept` reads it. Prometheus does since 2.5.
bool takes_open_metrics(std::string_view accept);

// Names, labels and numbers are those of Prometheus' format, edges too: series stay the same whichever is scraped.
// Of series that the page does not have, `seen` keeps nothing.
std::string open_metrics_text(const std::vector<prometheus::MetricFamily>& page, exemplars& seen);

}  // namespace photofinish::metrics
