// The configuration of the demo. The routes `demo`, where the first token wins, and `demo-finish`, where the first
// complete answer wins, race three simulated providers. Two of them have prompt caches and serve the conversations of
// `demo-agent`.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/simulator/demo.hpp"

#include <vector>

namespace photofinish::gateway {

config demo_config(const std::vector<simulator::demo_provider>& providers);

}  // namespace photofinish::gateway
