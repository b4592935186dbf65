// A configuration's routes as advice is asked about them: targets, vendors, what an attempt costs.
#pragma once

#include "gateway/config/config.hpp"
#include "racing/advice/route_advice.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Those of several targets, in the configuration's order.
std::vector<racing::advised_route> advised_routes(const std::shared_ptr<const config>& settings,
                                                  std::chrono::sys_seconds now);

// Whether its costs are money: all that is to be paid has a price. Engines on this machine cost nothing then.
bool is_priced(const config& settings, const std::vector<target_name>& targets);

// The same number: what slows one down may slow down the other.
std::uint32_t vendor_of(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
