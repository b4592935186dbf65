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

// The share of races in which the losers continue to their first token. Policies other than adaptive never start an
// attempt only to measure a target. They would otherwise always cancel a slow target before its first token, and its
// time would remain unknown.
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
  // The attempt that will probably finish first, among attempts that have sent their first token.
  std::size_t best = 0;
  double seconds = 0;     // number of seconds for which the attempt is held back; 0 if it is not held back
};

// Decides which attempt is held back instead of winning immediately, and for how long. At least one attempt must have
// sent its first token.
hold_choice choose_hold(std::span<const finisher> attempts);

}  // namespace photofinish::racing
