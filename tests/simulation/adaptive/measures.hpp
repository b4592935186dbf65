// What a run came to: the figures that limits are set for.
#pragma once

#include "tests/simulation/adaptive/world.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace photofinish::racing {

struct run_figures {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;  // of what `sort` names, seconds
  double extra = 0, rescues = 0;               // shares of what the winners cost
  double worst_ten_minutes = 0;                // of hedges and probes, a share
  double most_over = 0;       // over any window: cost of hedges and probes, less share x won; in usual requests
  double minute_worth = 0;    // the most that a minute's winners bring, in usual requests
  double largest_attempt = 0; // the most that one attempt lost, in usual requests
};

struct reaction {
  double seconds = 0;
  std::size_t requests = 0;
};

run_figures measure(const scenario& world, const run_result& run);

// From the change on, until of ten requests fewer than a fifth begin with the target / half of them do; none: never.
std::optional<reaction> time_to_leave(const run_result& run, double from, double to, std::size_t target);
std::optional<reaction> time_to_return(const run_result& run, double from, std::size_t target);

// Shares of first tokens within the predicted p50, p90, p99, behind the first `skipped` requests.
std::array<double, 3> calibration(const run_result& run, std::size_t skipped);

}  // namespace photofinish::racing
