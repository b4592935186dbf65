// A metric is a row of the table in names.hpp, with its name, kind, labels and help. If workers count the metric, the
// type of the row also defines two facts: which type of series contains the metric's cells, and which values the
// metric's additional labels may have. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace photofinish::metrics {

enum class metric_kind { counter, gauge, histogram };

struct metric {
  std::string_view name;
  metric_kind kind;
  std::string_view unit;  // unit of the value; "1" is a number without a unit
  std::span<const std::string_view> labels;
  // The help text has one line and no backslashes, because prometheus-cpp does not escape them.
  std::string_view help;
  std::span<const double> buckets = {};  // bucket edges of a histogram
};

// A metric that worker threads update. Each series of the type `Owner` has one cell for each combination of the
// metric's own label values.
template <class Owner, class Number, class... Words>
struct cell_row : metric {
  using owner = Owner;
  using number = Number;  // type of the number in each cell
  static constexpr std::size_t word_count = sizeof...(Words);
};

template <class Owner, class... Words>
using row = cell_row<Owner, std::uint64_t, Words...>;

// A metric of type counter whose values are seconds or amounts of money.
template <class Owner, class... Words>
using sum_row = cell_row<Owner, double, Words...>;

// A list of metrics as a type. Each metric in the list keeps its own type.
template <const auto&... Rows>
struct row_list {
  static constexpr std::array<const metric*, sizeof...(Rows)> pointers{&Rows...};
};

std::string_view to_string(metric_kind kind);

}  // namespace photofinish::metrics
