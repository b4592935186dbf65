// Providers that send floods or huge events, stall, or break off their answers. Each provider is a script for one
// connection. The script ends when the gateway closes the connection.
#pragma once

#include "tests/support/network/scripted_peer.hpp"

#include <string>
#include <vector>

namespace photofinish::neighbourhood {

enum class spoken { http1, http2_in_clear };

struct hostile_provider {
  std::string name;  // the provider's name in the gateway's configuration
  spoken version;
  testing::scripted_server::script play;
};

std::vector<hostile_provider> hostile_providers();

}  // namespace photofinish::neighbourhood
