// A configuration's routes as input for advice: targets, vendors, costs of attempts.
#pragma once

#include "gateway/config/config.hpp"
#include "racing/advice/route_advice.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// The routes with several targets, in the configuration's order.
std::vector<racing::advised_route> advised_routes(const std::shared_ptr<const config>& settings,
                                                  std::chrono::sys_seconds now);

// True if its costs are money, because every target that must be paid has a price. Engines on this machine then cost
// nothing.
bool is_priced(const config& settings, const std::vector<target_name>& targets);

// Returns equal numbers for targets of which one may slow down with the other.
std::uint32_t vendor_of(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
