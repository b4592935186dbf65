// Merges the records of several gateways. Counts and sketches are added exactly. The level of a target in a minute is
// the mean over the gateways, weighted by their attempts, which is an estimate. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"

#include <cstddef>

namespace photofinish::racing {

// Merges `other` into `into`. Ignores targets and routes beyond the limits of speed_history.
void merge(speed_records& into, const speed_records& other);

// Drops the oldest hours until the records fit into `bytes` bytes. Drops everything if a single hour does not fit.
void drop_until_fit(speed_records& records, std::size_t bytes);

}  // namespace photofinish::racing
