// A race may hold back an attempt that has sent its first token, because another attempt, which is still silent, will
// probably finish sooner. This file decides whether a race does so, and for how long. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double least_gain = 0.1;        // a race does not wait if it would gain fewer seconds than this
// The smallest gain for which a race waits, as a share of the remaining time of the attempt that has sent its first
// token. Predictions have an error of about this size.
inline constexpr double least_gain_share = 0.1;
inline constexpr double longest_hold = 30;       // seconds

// In this share of races, the losers continue to their first token. The policies other than adaptive make no trials, so
// they would otherwise always cancel a slow target before its first token. Its time to the first token would then
// remain unknown, because an attempt that was cancelled early reveals little about its target.
inline constexpr double observed_share = 0.02;
bool says_nothing(const table_row& row, double stretch, double silent);

// An attempt of the race, with the facts that predict when its answer will end.
struct finisher {
  std::size_t attempt = 0;
  const table_row* row = nullptr;
  double stretch = 1;              // expected time for this prompt and the current number of running attempts, relative
                                   // to the time in the choice table
  double decode = 0;               // seconds from the first token to the end of the answer
  double running = 0;              // seconds since the start of the attempt
  std::optional<double> spoken;    // seconds since the attempt's first token; empty while it is silent
};

// Returns the expected seconds until the first token of an attempt that has been silent for `silent` seconds. If the
// attempt hangs, this is the time until a rescue has answered.
double expected_wait(const table_row& row, double stretch, double silent);

struct hold_choice {
  std::size_t best = 0;   // the attempt that is held back or that may continue immediately; it has sent its first token
  double seconds = 0;     // number of seconds for which the attempt is held back; 0 if it is not held back
};

// Decides which attempt is held back instead of winning immediately, and for how long. At least one attempt must have
// sent its first token.
hold_choice choose_hold(std::span<const finisher> attempts);

}  // namespace photofinish::racing
