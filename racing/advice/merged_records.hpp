// Merges the records of several gateways. Counts and sketches are added exactly. A target's usual time in a minute can
// only be estimated. It is the mean over the gateways, weighted by their numbers of attempts. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"

#include <cstddef>

namespace photofinish::racing {

// Merges `other` into `into`. Ignores targets and routes that exceed the limits of speed_history.
void merge(speed_records& into, const speed_records& other);

// Drops the oldest hours until the records fit into `bytes` bytes. If a single hour does not fit, drops everything.
void drop_until_fit(speed_records& records, std::size_t bytes);

}  // namespace photofinish::racing
