// The state of the connection to the providers, as /readyz reports it. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

enum class egress_state : std::uint8_t {
  works,       // no loss is known
  lost,        // no provider can be reached; other gateways do not reach theirs either, or their state is unknown
  lost_alone,  // no provider can be reached, and another gateway reaches its own
};

}  // namespace photofinish::gateway
