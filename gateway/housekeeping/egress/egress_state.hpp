// The state of the connection to the providers, as /readyz reports it. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

enum class egress_state : std::uint8_t {
  works,       // the gateway can reach providers, or has no reason to doubt this
  lost,        // this gateway reaches no provider; other gateways reach no provider either, or their state is unknown
  lost_alone,  // this gateway reaches no provider, and another gateway reaches its own providers
};

}  // namespace photofinish::gateway
