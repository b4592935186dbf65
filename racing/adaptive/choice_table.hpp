// What each pair of a route's targets is worth at each hedge delay, for prompts of about one size. [pure]
// Made by the housekeeper once a second from the forecast; immutable then. A request's choice (choice.hpp) adds what is
// the request's own: its prompt, its answer's length, the load, prices, the budget's state.
#pragma once

#include "racing/adaptive/time_grid.hpp"
#include "racing/forecast/target_forecast.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace photofinish::racing {

inline constexpr std::size_t max_rows = 32;   // targets of a route that are compared; those behind them run last
inline constexpr std::size_t max_paired = 8;  // the best, which may be first or a hedge: pairs grow with the square
inline constexpr std::size_t max_thirds = 3;  // considered as a third attempt

// A hedge starts when this share of those that answer would still be silent.
inline constexpr std::array<double, 12> hedge_shares{1, .6, .4, .3, .2, .15, .1, .07, .05, .03, .02, .01};
// A third attempt starts together with the second, or when this share of both would still be silent.
inline constexpr std::array<double, 4> third_shares{1, .5, .25, .1};
inline constexpr std::size_t third_delays = 6;  // hedges later than these leave nothing to a third attempt

inline constexpr double hang_seconds = 5;  // what a hang costs until a rescue has answered

struct table_target {
  const target_forecast* known = nullptr;
  std::uint32_t vendor = 0;  // the same number: what slows one down may slow down the other
};

struct table_row {
  target_forecast known;  // its level is that of the best one while nothing was measured
  std::uint32_t vendor = 0;
  double alone = 0;       // mean seconds to the first token, without errors; a hang counts as the rescue it needs
  double usual = 0, late = 0;  // p50, p99 of those that answer, without what silent attempts add
  double part = 1;        // 1 + rho x the class's tokens
  std::array<double, hedge_shares.size()> delays{};  // seconds, for hedge_shares
  grid_values alive{};    // share that is silent still; those that hang always are
};

using table_rows = std::vector<table_row>;

struct pair_cell {
  float first_token = 0;  // mean seconds, without errors of the first
  float second_wins = 0;  // share of races
  float first_wins_late = 0;  // share in which the first wins after the second has started
};

struct third_cell {
  float first_token = 0;
  float starts = 0;      // share of races in which the third starts
  float third_wins = 0;
  float after = 0;       // seconds from the race's beginning
};

class choice_table {
 public:
  // `tokens`: of the prompts it is for. `thirds`: whether the budget could pay for third attempts.
  choice_table(std::span<const table_target> targets, double tokens, bool thirds);

  std::span<const table_row> rows() const { return *rows_; }
  // For who needs them longer than the pairs, which are much more.
  std::shared_ptr<const table_rows> kept_rows() const { return rows_; }
  double tokens() const { return tokens_; }
  std::size_t paired() const { return paired_.size(); }
  std::size_t row_of(std::size_t place) const { return paired_[place]; }  // of the paired ones, best first
  const pair_cell& pair(std::size_t first_place, std::size_t second_place, std::size_t delay) const {
    return pairs_[(first_place * paired_.size() + second_place) * hedge_shares.size() + delay];
  }
  bool has_thirds() const { return !thirds_.empty(); }
  std::size_t third_places() const { return third_places_; }
  // Of places below third_places(), all different.
  const third_cell& third(std::size_t first, std::size_t second, std::size_t delay, std::size_t place,
                          std::size_t share) const {
    return thirds_[third_index(first, second, delay, place) * third_shares.size() + share];
  }

 private:
  void add_row(const table_target& target, double best_level);
  void rank();
  void fill_pairs();
  void fill_thirds();
  std::size_t third_index(std::size_t first, std::size_t second, std::size_t delay, std::size_t place) const {
    return ((first * third_places_ + second) * third_delays + delay) * third_places_ + place;
  }

  double tokens_;
  std::shared_ptr<table_rows> rows_ = std::make_shared<table_rows>();  // unchanged once they are made
  std::vector<std::size_t> paired_;
  std::vector<pair_cell> pairs_;
  std::size_t third_places_ = 0;
  std::vector<third_cell> thirds_;
};

}  // namespace photofinish::racing
