// Fills the metrics for tests. Adds one to every metric, so that all metrics appear on the metrics page.
#pragma once

#include "metrics/merged_families.hpp"
#include "metrics/shard.hpp"

#include <cstddef>
#include <type_traits>

namespace photofinish::metrics {

void fill(auto& cell) {
  if constexpr (requires { cell.observe(1.0); }) cell.observe(1.0);
  else cell.add(1);
}

template <class Word, class Cells>
void fill(by<Word, Cells>& cells) {
  for (std::size_t index = 0; index < words_of<Word>.size(); ++index) fill(cells[static_cast<Word>(index)]);
}

template <class Owner>
void fill_cells(Owner& series) {
  Owner::for_each_row([&]<const auto& Row>() { fill(series.template cell<Row>()); });
}

// Declares one series of metrics for a target, a route and a client, and adds one to each metric.
inline void fill_series(shard& worker) {
  target_series& target = worker.declare_target("groq", "m");
  route_series& route = worker.declare_route("fast");
  client_series& client = worker.declare_client("search");
  worker.observe({.route = route, .client = client});
  fill_cells(worker);
  fill_cells(target);
  fill_cells(target.provider);
  fill_cells(route);
  fill_cells(*route.by_client[client.index]);
  fill_cells(worker.declare_usage("search", "web"));
  fill_cells(worker.limit("team", "web"));
  fill_cells(worker.declare_project("atlas"));
  fill_cells(worker.declare_guardrail("pii"));
}

// Adds one to a metric that is not specific to a target or a caller. Skips histograms, because the metrics page shows only histograms that
// belong to a target or a caller.
inline void fill_row(merged_families& page, const metric& row) {
  if (row.kind == metric_kind::histogram) return;
  switch (row.labels.size()) {
    case 0: return page.add(row, {}, 1);
    case 1: return page.add(row, {"a"}, 1);
    case 2: return page.add(row, {"a", "b"}, 1);
    default: return page.add(row, {"a", "b", "c"}, 1);
  }
}

template <const auto& Row>
void fill_plain_row(merged_families& page) {
  if constexpr (std::is_same_v<row_type<Row>, metric>) fill_row(page, Row);
}

template <const auto&... Rows>
void fill_plain_rows(merged_families& page, row_list<Rows...>) {
  (fill_plain_row<Rows>(page), ...);
}

}  // namespace photofinish::metrics
