// Failures whose cause is the network or the gateway, not a provider's answer. [pure]
#pragma once

#include "proxy/failures/failure.hpp"

#include <string>
#include <utility>

namespace photofinish::proxy {

inline failure network_failure(failure_kind kind, std::string detail,
                               failure_origin origin = failure_origin::provider) {
  return {.kind = kind, .origin = origin, .detail = std::move(detail)};
}

// Returns the failure for an attempt that was not sent because a limit of the gateway was reached.
inline failure busy_failure(std::string detail) {
  return network_failure(failure_kind::busy, std::move(detail), failure_origin::gateway);
}

// Returns the failure for an attempt that the gateway stopped.
inline failure cancelled_failure() {
  return network_failure(failure_kind::cancelled, "cancelled", failure_origin::gateway);
}

}  // namespace photofinish::proxy
