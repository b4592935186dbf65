// The value of each pair of a route's targets at each hedge delay, for prompts of similar size. [pure] The housekeeper
// makes the table once a second from the forecast; after that the table is immutable. The choice for a request
// (choice.hpp) adds the request's own figures: its prompt, its answer's length, the load, prices and the budget's
// state.
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

// The largest number of a route's targets that are compared. All further targets run last.
inline constexpr std::size_t max_rows = 32;
// The largest number of targets that may run first or as a hedge. The limit is small because the number of pairs grows
// with its square.
inline constexpr std::size_t max_paired = 8;
inline constexpr std::size_t max_thirds = 3;  // number of targets that are considered as a third attempt

// The possible hedge delays, as shares: a hedge starts when this share of answering attempts is still silent.
inline constexpr std::array<double, 12> hedge_shares{1, .6, .4, .3, .2, .15, .1, .07, .05, .03, .02, .01};
// The possible starts of a third attempt, as shares of both attempts that are still silent. With the share 1 it starts
// together with the second attempt.
inline constexpr std::array<double, 4> third_shares{1, .5, .25, .1};
// The number of hedge delays with which a third attempt is considered, shortest first. With a later hedge a third
// attempt gains nothing.
inline constexpr std::size_t third_delays = 6;

inline constexpr double hang_seconds = 5;  // the cost of a hang in seconds: the time until a rescue has answered

struct table_target {
  const target_forecast* known = nullptr;
  std::uint32_t vendor = 0;  // targets with equal numbers may slow down together
};

struct table_row {
  target_forecast known;  // the target's forecast; until the target is measured, the best target's level counts
  std::uint32_t vendor = 0;
  double alone = 0;       // mean seconds to the first token, without errors; a hang counts as the time of its rescue
  // Median and 99th percentile of the times of attempts that answer; silent attempts do not count.
  double usual = 0, late = 0;
  double part = 1;        // factor by which the prompt extends the time: 1 + rho x the class's tokens
  std::array<double, hedge_shares.size()> delays{};  // hedge delays in seconds, one per hedge share
  grid_values alive{};    // share of attempts that are still silent at each time; hanging attempts never answer
};

using table_rows = std::vector<table_row>;

struct pair_cell {
  float first_token = 0;  // mean seconds to the first token, without the first target's errors
  float second_wins = 0;  // share of races that the second target wins
  float first_wins_late = 0;  // share of races that the first target wins after the second has started
};

struct third_cell {
  float first_token = 0;
  float starts = 0;      // share of races in which the third attempt starts
  float third_wins = 0;
  float after = 0;       // the third attempt's start in seconds from the race's start
};

class choice_table {
 public:
  // `tokens` is the usual size of the prompts for which the table is made. `thirds` is true if the budget could pay for
  // third attempts.
  choice_table(std::span<const table_target> targets, double tokens, bool thirds);

  std::span<const table_row> rows() const { return *rows_; }
  // Returns the table's rows. Some callers keep the rows after the table is destroyed, because its pairs take much more
  // memory.
  std::shared_ptr<const table_rows> kept_rows() const { return rows_; }
  double tokens() const { return tokens_; }
  std::size_t paired() const { return paired_.size(); }
  // Returns the row of the target with the rank `place` among the paired targets. The best target is first.
  std::size_t row_of(std::size_t place) const { return paired_[place]; }
  const pair_cell& pair(std::size_t first_place, std::size_t second_place, std::size_t delay) const {
    return pairs_[(first_place * paired_.size() + second_place) * hedge_shares.size() + delay];
  }
  bool has_thirds() const { return !thirds_.empty(); }
  std::size_t third_places() const { return third_places_; }
  // Returns the cell for three targets, given by their ranks. The ranks must differ, and each must be below
  // third_places().
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
  // The table's rows, which never change after the constructor.
  std::shared_ptr<table_rows> rows_ = std::make_shared<table_rows>();
  std::vector<std::size_t> paired_;
  std::vector<pair_cell> pairs_;
  std::size_t third_places_ = 0;
  std::vector<third_cell> thirds_;
};

}  // namespace photofinish::racing
