// Decides whether, and how long, an attempt that has spoken is held for a silent attempt that would finish sooner.
// [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double least_gain = 0.1;        // seconds: a smaller gain is not worth a wait
// Share of the remaining time of the attempt that has spoken: predictions have about this error.
inline constexpr double least_gain_share = 0.1;
inline constexpr double longest_hold = 30;       // seconds

// Without trials (every policy except adaptive) a target whose first token comes late is always cut before its speed is
// known. Therefore losers run to their first token in this share of races, and a cut that came too early to show
// anything is no sample.
inline constexpr double observed_share = 0.02;
bool says_nothing(const table_row& row, double stretch, double silent);

// One attempt of the race, with the figures that predict its finish.
struct finisher {
  std::size_t attempt = 0;
  const table_row* row = nullptr;
  double stretch = 1;              // this prompt and load, relative to the table's
  double decode = 0;               // seconds of the whole answer after its first token
  double running = 0;              // seconds since its start
  std::optional<double> spoken;    // seconds since its first token; empty: still silent
};

// Mean seconds until the first token of an attempt that has been silent so long. A hang counts as the rescue that it
// would need.
double expected_wait(const table_row& row, double stretch, double silent);

struct hold_choice {
  std::size_t best = 0;   // the attempt to hold or continue, of those that have spoken
  double seconds = 0;     // how long it is held for a silent attempt; 0: not held
};

// Requires at least one attempt that has spoken.
hold_choice choose_hold(std::span<const finisher> attempts);

}  // namespace photofinish::racing
