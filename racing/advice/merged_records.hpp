// The records of several gateways as one: counts and sketches add up exactly. A target's level in a minute is the mean
// over the gateways, weighted by their attempts: an estimate. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"

#include <cstddef>

namespace photofinish::racing {

// Targets and routes beyond the bounds of speed_history are left out.
void merge(speed_records& into, const speed_records& other);

// Drops the oldest hours until the records fit into so many bytes; drops all if an hour does not.
void drop_until_fit(speed_records& records, std::size_t bytes);

}  // namespace photofinish::racing
