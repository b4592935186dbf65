// The state of the connection to the providers, as /readyz reports it. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

enum class egress_state : std::uint8_t {
  works,       // the gateway can reach providers, or there is no evidence that it cannot
  lost,        // this gateway cannot reach any provider; other gateways cannot either, or their state is unknown
  lost_alone,  // this gateway cannot reach any provider, but another gateway can
};

}  // namespace photofinish::gateway
