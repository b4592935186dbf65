// A table of the predicted results of each pair of a route's targets with each hedge delay, for prompts of similar
// size. The housekeeper makes a new table once a second from the forecast. A finished table never changes. The choice
// for a request (choice.hpp) adds the facts that the table does not contain: the prompt, the length of the answer, the
// running attempts, prices, and the state of the budget. [pure]
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

// The maximum number of a route's targets that are compared. Further targets are used last.
inline constexpr std::size_t max_rows = 32;
// The maximum number of targets that may be first or a hedge. It is small, because the number of pairs grows with the
// square of this number.
inline constexpr std::size_t max_paired = 8;
inline constexpr std::size_t max_thirds = 3;  // maximum number of targets that are considered for a third attempt

// The possible hedge delays. Each delay is expressed as a share of the attempts at the first target that will answer:
// the share that is usually still silent when the hedge starts.
inline constexpr std::array<double, 12> hedge_shares{1, .6, .4, .3, .2, .15, .1, .07, .05, .03, .02, .01};
// The possible start times of a third attempt. Each time is expressed as the share of races in which the first two
// attempts are usually still silent at this time. The share 1 means that the third attempt starts together with the
// second.
inline constexpr std::array<double, 4> third_shares{1, .5, .25, .1};
// A third attempt is considered only for this number of hedge delays, beginning with the shortest delay. With longer
// hedge delays, a third attempt has no benefit.
inline constexpr std::size_t third_delays = 6;

inline constexpr double hang_seconds = 5;  // the assumed time to the first token if an attempt hangs and another
                                           // attempt must answer instead

struct table_target {
  const target_forecast* known = nullptr;
  std::uint32_t vendor = 0;  // targets with equal numbers belong to the same vendor and may slow down together
};

struct table_row {
  target_forecast known;  // the target's forecast; a target without measurements has the usual time of the best target
  std::uint32_t vendor = 0;
  double alone = 0;       // mean seconds to the first token, without errors; hanging attempts count with hang_seconds
  // Median and 99th percentile of the times to the first token, for attempts that answer.
  double usual = 0, late = 0;
  double part = 1;        // factor by which the prompt's size increases the time: 1 + rho * tokens
  std::array<double, hedge_shares.size()> delays{};  // hedge delays in seconds, one for each of hedge_shares
  grid_values alive{};    // survival curve: the share of attempts that are still silent at each time; hanging attempts
                          // stay silent
};

using table_rows = std::vector<table_row>;

struct pair_cell {
  float first_token = 0;  // mean seconds to the first token, if the first target has no errors
  float second_wins = 0;  // share of races that the second target wins
  float first_wins_late = 0;  // share of races that the first target wins after the second attempt has started
};

struct third_cell {
  float first_token = 0;
  float starts = 0;      // share of races in which the third attempt starts
  float third_wins = 0;
  float after = 0;       // seconds from the race's start until the third attempt starts
};

class choice_table {
 public:
  // `tokens` is the usual size of the prompts for which the table is made. `thirds` is true if the budget may be enough
  // for third attempts.
  choice_table(std::span<const table_target> targets, double tokens, bool thirds);

  std::span<const table_row> rows() const { return *rows_; }
  // Returns the table's rows, with shared ownership. Some callers need the rows after the table is destroyed. The rows
  // take much less memory than the table's predictions for pairs of targets.
  std::shared_ptr<const table_rows> kept_rows() const { return rows_; }
  double tokens() const { return tokens_; }
  std::size_t paired() const { return paired_.size(); }
  // Returns the row of a target by its rank among the targets that may be first or a hedge. The best target has the
  // rank 0.
  std::size_t row_of(std::size_t place) const { return paired_[place]; }
  const pair_cell& pair(std::size_t first_place, std::size_t second_place, std::size_t delay) const {
    return pairs_[(first_place * paired_.size() + second_place) * hedge_shares.size() + delay];
  }
  bool has_thirds() const { return !thirds_.empty(); }
  std::size_t third_places() const { return third_places_; }
  // Returns the prediction for three targets, which are given by their ranks. The ranks must differ from each other and
  // be less than third_places().
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
  // The table's rows, which never change after the constructor has returned.
  std::shared_ptr<table_rows> rows_ = std::make_shared<table_rows>();
  std::vector<std::size_t> paired_;
  std::vector<pair_cell> pairs_;
  std::size_t third_places_ = 0;
  std::vector<third_cell> thirds_;
};

}  // namespace photofinish::racing
