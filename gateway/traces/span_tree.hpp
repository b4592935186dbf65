// Makes the spans of a completed request: one for the request itself, and a child span for each attempt. The spans
// contain no prompt, answer or key. All names in them come from the configuration.
#pragma once

#include "gateway/records/request_record.hpp"
#include "gateway/traces/race_trace.hpp"
#include "gateway/traces/request_trace.hpp"
#include "metrics/observations.hpp"

#include <chrono>
#include <span>

namespace photofinish::gateway {

// The current time on two clocks. It is needed to convert times from one clock to the other.
struct two_clocks {
  proxy::instant steady;
  std::chrono::system_clock::time_point wall;
};

// True if the request's spans should be sent. They are sent if the request was sampled. They are also sent if it failed
// or was slow, and the settings state that such requests are always recorded.
bool is_kept(const request_record& record);

// Makes the spans of one request. `record` must contain a trace. The first elements of `seen` are the attempts of the
// race, in the same order as in the race.
race_trace make_spans(const request_record& record, std::span<const metrics::attempt_observation> seen,
                      const two_clocks& now);

}  // namespace photofinish::gateway
