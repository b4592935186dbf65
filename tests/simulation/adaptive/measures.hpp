// The results of a simulated run. Tests set limits for these results.
#pragma once

#include "tests/simulation/adaptive/world.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace photofinish::racing {

struct run_figures {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;  // times in seconds; `sort` selects which times are measured
  // `extra` is the cost of the losers, and `rescues` is the cost of the attempts that start because the others hang. Both are divided by
  // the winners' cost.
  double extra = 0, rescues = 0;
  double worst_ten_minutes = 0;                // cost of hedges and probes divided by the winners' cost, in the worst ten minutes
  double most_over = 0;       // largest amount by which losers in any period cost more than permitted, in units of a usual request's cost
  double minute_worth = 0;    // the largest cost of all winners within one minute, in units of a usual request's cost
  double largest_attempt = 0; // the largest cost of a single losing attempt, in units of a usual request's cost
};

// Describes how fast races react to a change of a target. The reaction is complete when ten consecutive requests meet a condition, such as
// avoiding the target. Times are in seconds, counted from the change.
struct reaction {
  double seconds = 0;        // seconds until ten consecutive requests show that races have reacted to the change
  double first_seconds = 0;  // seconds until the first of the ten requests that show the reaction
  std::size_t requests = 0;  // number of requests until ten consecutive requests show that races have reacted to the change
};

run_figures measure(const scenario& world, const run_result& run);

// Each function finds the first ten consecutive requests that meet a condition, or returns nothing if there are none. time_to_leave()
// requires that fewer than a fifth of the ten requests begin with the target. time_to_return() requires that at least half of them do.
std::optional<reaction> time_to_leave(const run_result& run, double from, double to, std::size_t target);
std::optional<reaction> time_to_return(const run_result& run, double from, std::size_t target);

// Returns three shares: the shares of first tokens that came within the predicted p50, p90 and p99. Ignores the first `skipped` requests.
std::array<double, 3> calibration(const run_result& run, std::size_t skipped);

}  // namespace photofinish::racing
