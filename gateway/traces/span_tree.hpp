// Makes the spans of a request that has ended: the request itself, and a child span for each attempt. The spans contain
// no prompt, answer or key. The only names in them are names from the configuration.
#pragma once

#include "gateway/records/request_record.hpp"
#include "gateway/traces/race_trace.hpp"
#include "gateway/traces/request_trace.hpp"
#include "metrics/observations.hpp"

#include <chrono>
#include <span>

namespace photofinish::gateway {

// The present time on two clocks, to convert times between them.
struct two_clocks {
  proxy::instant steady;
  std::chrono::system_clock::time_point wall;
};

// True if the request's spans are sent: the request was sampled, or it failed or was slow and the settings keep such
// requests.
bool is_kept(const request_record& record);

// Makes the spans. `record` must have a trace. `seen` begins with the race's attempts, in the order of the race.
race_trace make_spans(const request_record& record, std::span<const metrics::attempt_observation> seen,
                      const two_clocks& now);

}  // namespace photofinish::gateway
