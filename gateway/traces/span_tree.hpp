// The spans of a request that has ended: itself, and a child for each attempt.
// Of no prompt, no answer and no key; nothing of a caller but the names that the configuration gave it.
#pragma once

#include "gateway/records/request_record.hpp"
#include "gateway/traces/race_trace.hpp"
#include "gateway/traces/request_trace.hpp"
#include "metrics/observations.hpp"

#include <chrono>
#include <span>

namespace photofinish::gateway {

// The same moment of two clocks.
struct two_clocks {
  proxy::instant steady;
  std::chrono::system_clock::time_point wall;
};

// Whether its spans are sent: it was sampled, or it went wrong or was slow where such are kept all the same.
bool is_kept(const request_record& record);

// `record` has a trace. `seen` begins with the race's attempts, in their order.
race_trace make_spans(const request_record& record, std::span<const metrics::attempt_observation> seen,
                      const two_clocks& now);

}  // namespace photofinish::gateway
