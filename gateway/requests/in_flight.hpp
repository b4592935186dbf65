// A request while its race runs, in what is counted of the server and of its route.
#pragma once

#include "gateway/requests/services.hpp"
#include "metrics/series.hpp"

#include <atomic>

namespace photofinish::gateway {

// One request in its race, counted until the race is over, however it ends. The load is counted already.
class in_flight {
 public:
  in_flight(server_load& load, metrics::route_series& route) : load_(load), route_(route) {
    route_.inflight_requests.add(1);
  }
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;
  ~in_flight() {
    route_.inflight_requests.sub(1);
    load_.requests.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  server_load& load_;
  metrics::route_series& route_;
};

}  // namespace photofinish::gateway
