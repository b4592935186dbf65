// Compares the metrics that the code stores with the table of metrics. Each stored value must appear on the metrics page exactly once, as a
// series of its metric.
#include "metrics/exposition.hpp"

#include "tests/support/filled_cells.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

namespace photofinish::metrics {
namespace {

using series_counts = std::map<std::string, std::size_t>;

// Counts how many values of each metric a series of the kind `Owner` stores, and adds these numbers to `counts`.
template <class Owner>
void count_cells(series_counts& counts) {
  const auto visit = [&]<const auto& Row>() {
    const typename nested_cells<Row>::type cells;
    visit_cells(cells, [&](const auto&, auto...) { ++counts[std::string(Row.name)]; });
  };
  Owner::for_each_row(visit);
}

TEST(CellRows, EachCellIsASeriesOfItsMetric) {
  series_budget budget;
  shard worker(budget);
  fill_series(worker);
  series_counts expected;
  count_cells<shard>(expected);
  count_cells<provider_series>(expected);
  count_cells<target_series>(expected);
  count_cells<route_series>(expected);
  count_cells<request_series>(expected);
  count_cells<usage_series>(expected);
  count_cells<limit_series>(expected);
  count_cells<project_series>(expected);
  count_cells<guardrail_series>(expected);
  series_counts shown;
  for (const auto& family : exposition({}, {&worker}).Collect())
    for (const auto& series : family.metric)
      if (expected.contains(family.name) && series.counter.value + series.gauge.value + series.histogram.sample_sum > 0)
        ++shown[family.name];
  EXPECT_EQ(shown, expected);
}

TEST(CellRows, ACellIsFoundByItsWords) {
  series_budget budget;
  shard worker(budget);
  route_series& route = worker.declare_route("fast");
  route.cell<names::speculation_cost_total>(spent_on::hedge, currency::usd).add(0.5);
  EXPECT_EQ(route.cell<names::speculation_cost_total>()[spent_on::hedge][currency::usd].value(), 0.5);
  EXPECT_EQ(route.cell<names::speculation_cost_total>(spent_on::hedge, currency::tokens).value(), 0);
}

}  // namespace
}  // namespace photofinish::metrics
