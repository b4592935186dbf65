// A metric as a row of the table: its name, kind, labels and help. The type of a row that workers count also says which
// series own its cells, and which words its own labels have. [pure]
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
  std::string_view unit;  // "1": a plain fact
  std::span<const std::string_view> labels;
  std::string_view help;                 // one line, without a backslash: prometheus-cpp escapes none here
  std::span<const double> buckets = {};  // of a histogram
};

// A metric that workers count. Each series of the owner has one cell for each combination of the words.
template <class Owner, class Number, class... Words>
struct cell_row : metric {
  using owner = Owner;
  using number = Number;  // of a counter
  static constexpr std::size_t word_count = sizeof...(Words);
};

template <class Owner, class... Words>
using row = cell_row<Owner, std::uint64_t, Words...>;

// A counter of seconds or of money.
template <class Owner, class... Words>
using sum_row = cell_row<Owner, double, Words...>;

// A list of rows, as a type: each keeps its own type.
template <const auto&... Rows>
struct row_list {
  static constexpr std::array<const metric*, sizeof...(Rows)> pointers{&Rows...};
};

std::string_view to_string(metric_kind kind);

}  // namespace photofinish::metrics
