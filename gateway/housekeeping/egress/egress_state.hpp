// The way to the providers, as /readyz reports it. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

enum class egress_state : std::uint8_t {
  works,       // no loss is known
  lost,        // no provider can be reached; other gateways do not reach theirs, or nothing is known of them
  lost_alone,  // no provider can be reached, and another gateway reaches its own
};

}  // namespace photofinish::gateway
