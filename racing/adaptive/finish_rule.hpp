// Decides whether and how long an attempt that has spoken is held, because a silent attempt is expected to finish
// sooner. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double least_gain = 0.1;        // a gain of fewer seconds is not worth a wait
// The least gain, as a share of the remaining time of the attempt that has spoken. Predictions have about this error.
inline constexpr double least_gain_share = 0.1;
inline constexpr double longest_hold = 30;       // seconds

// The share of races in which losers run to their first token. Policies without trials (all except adaptive) would
// otherwise always cut a target with a late first token before its speed is known. An attempt that was cut too early to
// show anything is no sample.
inline constexpr double observed_share = 0.02;
bool says_nothing(const table_row& row, double stretch, double silent);

// One attempt of the race, with the figures that predict its finish.
struct finisher {
  std::size_t attempt = 0;
  const table_row* row = nullptr;
  double stretch = 1;              // expected time of this prompt at this load, relative to the table's
  double decode = 0;               // seconds of the whole answer after its first token
  double running = 0;              // seconds since the start of the attempt
  std::optional<double> spoken;    // seconds since the attempt's first token; empty while it is silent
};

// Returns the mean seconds until the first token of an attempt that has been silent for `silent` seconds. A hang counts
// as the rescue that it would need.
double expected_wait(const table_row& row, double stretch, double silent);

struct hold_choice {
  std::size_t best = 0;   // the attempt to hold or to continue; it has spoken
  double seconds = 0;     // seconds for which the attempt is held for a silent attempt; 0 if it is not held
};

// Requires at least one attempt that has spoken.
hold_choice choose_hold(std::span<const finisher> attempts);

}  // namespace photofinish::racing
