// The results of a run: the figures that have limits.
#pragma once

#include "tests/simulation/adaptive/world.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace photofinish::racing {

struct run_figures {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;  // seconds, of the times that `sort` selects
  double extra = 0, rescues = 0;               // shares of the winners' cost
  double worst_ten_minutes = 0;                // share of hedges and probes
  double most_over = 0;       // over any window: cost of hedges and probes minus share x won, in usual requests
  double minute_worth = 0;    // the largest income from the winners of one minute, in usual requests
  double largest_attempt = 0; // the largest loss of one attempt, in usual requests
};

// The first ten requests in a row that fulfil a condition. Times in seconds after the change.
struct reaction {
  double seconds = 0;        // until the last of the ten
  double first_seconds = 0;  // until the first of the ten
  std::size_t requests = 0;  // from the change to the last of the ten
};

run_figures measure(const scenario& world, const run_result& run);

// The first ten requests of which fewer than a fifth begin with the target, and the first ten of which half do. Empty if
// there are none.
std::optional<reaction> time_to_leave(const run_result& run, double from, double to, std::size_t target);
std::optional<reaction> time_to_return(const run_result& run, double from, std::size_t target);

// Shares of first tokens within the predicted p50, p90, p99, after the first `skipped` requests.
std::array<double, 3> calibration(const run_result& run, std::size_t skipped);

}  // namespace photofinish::racing
