// The configuration of the demo, which races three simulated providers. On the route `demo` the first token wins. On
// the route `demo-finish` the first complete answer wins. Two of the providers have prompt caches and serve the
// conversations of `demo-agent`.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/simulator/demo.hpp"

#include <vector>

namespace photofinish::gateway {

config demo_config(const std::vector<simulator::demo_provider>& providers);

}  // namespace photofinish::gateway
