// The configuration of the demo: three simulated providers and the route `demo` that races them.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/simulator/demo.hpp"

#include <vector>

namespace photofinish::gateway {

config demo_config(const std::vector<simulator::demo_provider>& providers);

}  // namespace photofinish::gateway
