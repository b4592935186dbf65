// The configuration of the demo: three simulated providers, raced by the routes `demo`, where the first token wins, and
// `demo-finish`, where the first end does.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/simulator/demo.hpp"

#include <vector>

namespace photofinish::gateway {

config demo_config(const std::vector<simulator::demo_provider>& providers);

}  // namespace photofinish::gateway
