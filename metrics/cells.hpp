// Cells hold the numbers of metrics. One thread writes a cell's number, and any thread may read the number at any time
// without a lock. A write is a relaxed load and a relaxed store instead of a read-modify-write, and therefore as cheap
// as a plain `+=`. A reader gets only values that the cell has had. If a scraper reads several cells, some may already
// include the latest request and others not yet. Cells belong to sets of series. The table of metrics in names.hpp
// defines which cells each set has.
#pragma once

#include "metrics/names.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

namespace photofinish::metrics {

template <class Number>
class cell {
 public:
  // Adds to the cell. Only the thread that owns the cell may call this function.
  void add(Number amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void sub(Number amount) noexcept requires std::signed_integral<Number> { add(-amount); }

  // Reads the cell. Any thread may call this function.
  Number value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<Number>::is_always_lock_free);
  std::atomic<Number> value_{0};
};

using counter_cell = cell<std::uint64_t>;
using gauge_cell = cell<std::int64_t>;
using sum_cell = cell<double>;

// The numbers of one histogram, read together. The count is computed as the sum of the buckets, so that the count and
// the buckets always agree.
template <std::size_t BucketCount>
struct histogram_reading {
  // The number of values in each bucket, not cumulative. The last bucket extends to infinity.
  std::array<std::uint64_t, BucketCount> counts{};
  double sum = 0;

  std::uint64_t count() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }
};

// The cells of one series of a histogram. The metric, and therefore its edges, is part of the type.
template <const auto& Metric>
class histogram {
 public:
  using reading = histogram_reading<Metric.buckets.size() + 1>;

  // Adds a value to the histogram. Only the thread that owns the histogram may call this function.
  void observe(double value) noexcept {
    // Ignores negative and infinite values. No clock or counter produces them, but a single such value would corrupt
    // the sum permanently.
    if (!std::isfinite(value) || value < 0) return;
    counts_[bucket_of(Metric.buckets, value)].add(1);
    sum_.add(value);
  }
  void observe(std::chrono::duration<double> value) noexcept { observe(value.count()); }

  // Reads the histogram's cells. Any thread may call this function.
  reading read() const noexcept {
    reading now;
    for (std::size_t i = 0; i < counts_.size(); ++i) now.counts[i] = counts_[i].value();
    now.sum = sum_.value();
    return now;
  }

 private:
  static_assert(Metric.kind == metric_kind::histogram && !Metric.buckets.empty());
  std::array<counter_cell, Metric.buckets.size() + 1> counts_;
  sum_cell sum_;
};

template <const auto& Row>
using row_type = std::remove_cvref_t<decltype(Row)>;

// One cell for each combination of a metric's label values.
template <const auto& Row, class Type = row_type<Row>>
struct nested_cells;

template <const auto& Row, class Owner, class Number>
struct nested_cells<Row, cell_row<Owner, Number>> {
  using counted = std::conditional_t<Row.kind == metric_kind::gauge, gauge_cell, cell<Number>>;
  using type = std::conditional_t<Row.kind == metric_kind::histogram, histogram<Row>, counted>;
};

template <const auto& Row, class Owner, class Number, class Word, class... Rest>
struct nested_cells<Row, cell_row<Owner, Number, Word, Rest...>> {
  using type = by<Word, typename nested_cells<Row, cell_row<Owner, Number, Rest...>>::type>;
};

// The cells of a metric. The struct is empty if the metric has no cells, or if its cells belong to another type of
// series.
template <class Owner, const auto& Row>
struct row_cells {
  static constexpr bool is_owned = false;
};

template <class Owner, const auto& Row>
requires std::same_as<typename row_type<Row>::owner, Owner>
struct row_cells<Owner, Row> {
  static constexpr bool is_owned = true;
  typename nested_cells<Row>::type cells;
};

template <class Owner, class Rows>
class cell_set;

template <class Owner, const auto&... Rows>
class cell_set<Owner, row_list<Rows...>> : row_cells<Owner, Rows>... {
 public:
  // Returns the metric's cell for these label values. If the caller omits values at the end of the list, returns an
  // array with the cells for all values of the omitted labels. The compiler computes the position of the cell.
  template <const auto& Row, class... Words>
  auto& cell(Words... words) { return pick(row_cells<Owner, Row>::cells, words...); }
  template <const auto& Row, class... Words>
  const auto& cell(Words... words) const { return pick(row_cells<Owner, Row>::cells, words...); }

  // Calls visit.operator()<Row>() for each metric whose cells belong to `Owner`.
  static void for_each_row(auto&& visit) { (visit_row<Rows>(visit), ...); }

 private:
  static auto& pick(auto& cells) { return cells; }
  static auto& pick(auto& cells, auto word, auto... rest) { return pick(cells[word], rest...); }

  template <const auto& Row>
  static void visit_row(auto& visit) {
    if constexpr (row_cells<Owner, Row>::is_owned) visit.template operator()<Row>();
  }
};

// Calls visit(cell, words...) for each cell of a metric. The words are label values.
void visit_cells(const auto& cell, const auto& visit, auto... words) { visit(cell, words...); }

template <class Word, class Cells>
void visit_cells(const by<Word, Cells>& cells, const auto& visit, auto... words) {
  cells.for_each([&](Word word, const Cells& each) { visit_cells(each, visit, words..., word); });
}

template <class Owner>
using cells_of = cell_set<Owner, names::table>;

}  // namespace photofinish::metrics
