// The results of a simulated run. Tests set limits for these results.
#pragma once

#include "tests/simulation/adaptive/world.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace photofinish::racing {

struct run_figures {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;  // times in seconds; `sort` selects which times are measured
  double extra = 0, rescues = 0;               // cost of losers, and cost of rescues, both divided by the winners' cost
  double worst_ten_minutes = 0;                // cost of hedges and probes divided by the winners' cost, in the worst ten minutes
  double most_over = 0;       // the most that losers in any period cost above their permitted share, in units of a usual request's cost
  double minute_worth = 0;    // the largest income from winners within a minute, in units of a usual request's cost
  double largest_attempt = 0; // the largest cost of a single losing attempt, in units of a usual request's cost
};

// Describes when ten consecutive requests first met a condition. Times are in seconds, counted from the change of a target.
struct reaction {
  double seconds = 0;        // seconds until the last of the ten requests
  double first_seconds = 0;  // seconds until the first of the ten requests
  std::size_t requests = 0;  // number of requests until the last of the ten requests
};

run_figures measure(const scenario& world, const run_result& run);

// time_to_leave() finds the first ten consecutive requests of which fewer than a fifth begin with the target. time_to_return() finds the
// first ten consecutive requests of which half begin with the target. Both functions return nothing if no ten requests meet the condition.
std::optional<reaction> time_to_leave(const run_result& run, double from, double to, std::size_t target);
std::optional<reaction> time_to_return(const run_result& run, double from, std::size_t target);

// Returns three shares: the shares of first tokens that came within the predicted p50, p90 and p99. Ignores the first `skipped` requests.
std::array<double, 3> calibration(const run_result& run, std::size_t skipped);

}  // namespace photofinish::racing
