// The figures of a simulated run for which tests set limits.
#pragma once

#include "tests/simulation/adaptive/world.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace photofinish::racing {

struct run_figures {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;  // times in seconds; `sort` selects which times are measured
  double extra = 0, rescues = 0;               // cost of losers and of rescues, as shares of the winners' cost
  double worst_ten_minutes = 0;                // cost of hedges and probes in the worst ten minutes, as a share of the winners' cost
  double most_over = 0;       // the highest amount by which a period exceeds share x won, in usual requests
  double minute_worth = 0;    // the winners' largest income within a minute, in usual requests
  double largest_attempt = 0; // the largest loss by one attempt, in usual requests
};

// The first ten consecutive requests that meet a condition. Times are in seconds after the change of a target.
struct reaction {
  double seconds = 0;        // seconds until the last of the ten requests
  double first_seconds = 0;  // seconds until the first of the ten requests
  std::size_t requests = 0;  // number of requests from the change to the last of the ten requests
};

run_figures measure(const scenario& world, const run_result& run);

// The two functions find the first ten requests of which fewer than a fifth begin with the target, and the first ten requests of which half
// begin with the target. They return nothing if there are no such requests.
std::optional<reaction> time_to_leave(const run_result& run, double from, double to, std::size_t target);
std::optional<reaction> time_to_return(const run_result& run, double from, std::size_t target);

// Returns the shares of first tokens within the predicted p50, p90 and p99. Leaves out the first `skipped` requests.
std::array<double, 3> calibration(const run_result& run, std::size_t skipped);

}  // namespace photofinish::racing
