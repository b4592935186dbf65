// Whether an attempt that has spoken is held for a silent one that would finish sooner, and how long. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double least_gain = 0.1;        // seconds: less is not worth a wait
inline constexpr double least_gain_share = 0.1;  // of what who has spoken needs still: predictions are so far off
inline constexpr double longest_hold = 30;       // seconds

// Where no trial is made (every policy but adaptive) a target that speaks late is always cut before it can be known. So
// in this share of races losers run to their first token, and a cut that came too early to say anything is no sample.
inline constexpr double observed_share = 0.02;
bool says_nothing(const table_row& row, double stretch, double silent);

// One attempt of the race, as far as its finish can be predicted.
struct finisher {
  std::size_t attempt = 0;
  const table_row* row = nullptr;
  double stretch = 1;              // this prompt and load against the table's
  double decode = 0;               // seconds of the whole answer behind its first token
  double running = 0;              // seconds since its start
  std::optional<double> spoken;    // seconds since its first token; none: it is silent
};

// Mean seconds until its first token, of one that has been silent so long. A hang counts as the rescue it would need.
double expected_wait(const table_row& row, double stretch, double silent);

struct hold_choice {
  std::size_t best = 0;   // the attempt to go on with, of those that have spoken
  double seconds = 0;     // how long it is held for a silent one; 0: not at all
};

// At least one has spoken.
hold_choice choose_hold(std::span<const finisher> attempts);

}  // namespace photofinish::racing
