// The failures that come from the network floor rather than from a provider's answer. [pure]
#pragma once

#include "proxy/failures/failure.hpp"

#include <string>
#include <utility>

namespace photofinish::proxy {

inline failure network_failure(failure_kind kind, std::string detail,
                               failure_origin origin = failure_origin::provider) {
  return {.kind = kind, .origin = origin, .detail = std::move(detail)};
}

// A limit of ours left no room for it.
inline failure busy_failure(std::string detail) {
  return network_failure(failure_kind::busy, std::move(detail), failure_origin::gateway);
}

// We stopped it ourselves.
inline failure cancelled_failure() {
  return network_failure(failure_kind::cancelled, "cancelled", failure_origin::gateway);
}

}  // namespace photofinish::proxy
