// Decides whether and how long an attempt that has sent its first token is held, because a silent attempt is expected
// to finish sooner. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double least_gain = 0.1;        // smallest number of seconds for which a wait is worthwhile
// The smallest gain that is worth a wait, as a share of the remaining time of the attempt that has sent its first
// token. Predictions have an error of about this size.
inline constexpr double least_gain_share = 0.1;
inline constexpr double longest_hold = 30;       // seconds

// The share of races in which losers run to their first token. Otherwise the policies without trials (all except
// adaptive) would always cut a target with a late first token before its speed is known. An attempt that was cut too
// early shows nothing about its target.
inline constexpr double observed_share = 0.02;
bool says_nothing(const table_row& row, double stretch, double silent);

// One attempt of the race, with the figures that predict when its answer ends.
struct finisher {
  std::size_t attempt = 0;
  const table_row* row = nullptr;
  double stretch = 1;              // expected time for this prompt at this load, relative to the time in the table
  double decode = 0;               // seconds of the whole answer after its first token
  double running = 0;              // seconds since the start of the attempt
  std::optional<double> spoken;    // seconds since the attempt's first token; empty while it is silent
};

// Returns the mean seconds until the first token of an attempt that has been silent for `silent` seconds. A hang counts
// as the rescue that it would need.
double expected_wait(const table_row& row, double stretch, double silent);

struct hold_choice {
  std::size_t best = 0;   // the attempt to hold or to continue; it has sent its first token
  double seconds = 0;     // seconds for which the attempt is held for a silent attempt; 0 if it is not held
};

// Chooses the attempt to hold. Requires at least one attempt that has sent its first token.
hold_choice choose_hold(std::span<const finisher> attempts);

}  // namespace photofinish::racing
