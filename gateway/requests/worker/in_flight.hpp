// Counts a request as running while its race runs, both for the server and for its route.
#pragma once

#include "gateway/requests/worker/worker_context.hpp"
#include "metrics/series.hpp"

#include <utility>

namespace photofinish::gateway {

// Counts one request as running, both for its route and for the whole gateway, until its race has ended for whatever
// reason.
class in_flight {
 public:
  in_flight(load_place place, metrics::route_series& route) : place_(std::move(place)), route_(route) {
    route_.cell<metrics::names::inflight_requests>().add(1);
  }
  ~in_flight() { route_.cell<metrics::names::inflight_requests>().sub(1); }

 private:
  const load_place place_;
  metrics::route_series& route_;
};

}  // namespace photofinish::gateway
