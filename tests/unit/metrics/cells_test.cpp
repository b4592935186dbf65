#include "metrics/cells.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace photofinish::metrics {
namespace {

using namespace std::chrono_literals;

TEST(Cell, AddsUpAndTakesAway) {
  gauge_cell cell;
  cell.add(3);
  cell.sub(1);
  EXPECT_EQ(cell.value(), 2);
}

TEST(Histogram, CountsAValueOnAnEdgeBelowIt) {
  histogram<names::attempt_ttft> cells;
  cells.observe(1ms);
  EXPECT_EQ(cells.read().counts[0], 1u);
}

TEST(Histogram, CountsWhatIsPastTheLastEdge) {
  histogram<names::attempt_ttft> cells;
  cells.observe(121s);
  EXPECT_EQ(cells.read().counts[ttft_edges.size()], 1u);
}

TEST(Histogram, AddsUpCountAndSum) {
  histogram<names::attempt_ttft> cells;
  cells.observe(250ms);
  cells.observe(2s);
  EXPECT_EQ(cells.read().count(), 2u);
  EXPECT_DOUBLE_EQ(cells.read().sum, 2.25);
}

TEST(Histogram, RefusesWhatWouldSpoilItsSum) {
  histogram<names::output_speed> cells;
  cells.observe(std::numeric_limits<double>::quiet_NaN());
  cells.observe(std::numeric_limits<double>::infinity());
  cells.observe(-1.0);
  EXPECT_EQ(cells.read().count(), 0u);
  EXPECT_EQ(cells.read().sum, 0);
}

}  // namespace
}  // namespace photofinish::metrics
