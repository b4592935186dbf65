// The configuration of the demo. Three simulated providers are raced by the routes `demo`, where the first token wins,
// and `demo-finish`, where the first end does. Two with prompt caches serve the conversations of `demo-agent`.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/simulator/demo.hpp"

#include <vector>

namespace photofinish::gateway {

config demo_config(const std::vector<simulator::demo_provider>& providers);

}  // namespace photofinish::gateway
