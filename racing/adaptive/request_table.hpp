// Predicted results for each pair of the best targets, for a single request. A request has a table of its own if prompt
// caches change its times compared with other prompts of its size. Each result is computed from two survival curves per
// target: after a cache hit and after a cache miss. The grid of times is coarser than in the route's table. A pair of a
// target with itself stands for two attempts at the same target. The table consists of arrays on the stack and
// allocates no memory. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"
#include "racing/adaptive/choice_terms.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

inline constexpr std::size_t request_rows = 5;
inline constexpr std::size_t request_points = 48;
using request_curve = std::array<float, request_points>;

class request_table {
 public:
  // Makes the table. `has_pairs` is false if no attempt may be hedged, and then pair() must not be called.
  request_table(const choice_table& table, std::span<const target_now> targets, const choice_terms& terms,
                bool has_pairs);

  std::size_t places() const { return places_; }
  std::size_t row_of(std::size_t place) const { return rows_[place].row; }
  double delay(std::size_t place, std::size_t delay) const { return rows_[place].delays[delay]; }
  const pair_cell& pair(std::size_t first, std::size_t second, std::size_t delay) const {
    return pairs_[(first * request_rows + second) * hedge_shares.size() + delay];
  }

 private:
  struct row_curves {
    std::size_t row;
    double hang, alone;  // `alone` is the mean time in seconds of attempts that answer
    std::uint32_t vendor;
    std::array<double, hedge_shares.size()> delays;
    request_curve answering;  // share of attempts that will answer but are still silent
    // The share of attempts that have answered by each time, multiplied by the length of the time interval.
    request_curve open;
    request_curve answers;    // share of attempts that answer in each interval
  };

  void add_row(const table_row& row, const target_now& target, std::size_t index);
  void fill_pairs(const choice_terms& terms);

  std::size_t places_ = 0;
  std::array<row_curves, request_rows> rows_;
  std::array<pair_cell, request_rows * request_rows * hedge_shares.size()> pairs_;
};

}  // namespace photofinish::racing
