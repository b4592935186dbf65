// The values of each pair of the best targets for one request. The request has its own values because prompt caches
// make its times differ from those of its input class. [pure] A value is computed from the two curves of each target,
// after a cache hit and after a cache miss, on a coarser grid of times than in the table of the route. A pair of a
// target with itself is a twin. The table consists of plain arrays on the stack, without allocation.
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
  // Makes the table. `has_pairs` is false if no attempt may be hedged. pair() must not be called then.
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
    double hang, alone;  // `alone` is the mean seconds of attempts that answer
    std::uint32_t vendor;
    std::array<double, hedge_shares.size()> delays;
    request_curve answering;  // share of attempts that will answer but are still silent
    request_curve open;       // weights of the mean time while the attempt is silent
    request_curve answers;    // share of attempts that answer in each step
  };

  void add_row(const table_row& row, const target_now& target, std::size_t index);
  void fill_pairs(const choice_terms& terms);

  std::size_t places_ = 0;
  std::array<row_curves, request_rows> rows_;
  std::array<pair_cell, request_rows * request_rows * hedge_shares.size()> pairs_;
};

}  // namespace photofinish::racing
