// Converts the routes of a configuration to input for advice: targets, vendors, and costs of attempts.
#pragma once

#include "gateway/config/config.hpp"
#include "racing/advice/route_advice.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Returns the routes with several targets, in the configuration's order.
std::vector<racing::advised_route> advised_routes(const std::shared_ptr<const config>& settings,
                                                  std::chrono::sys_seconds now);

// True if every target that must be paid has a price. The targets' costs are then money, and engines on this machine
// cost nothing.
bool is_priced(const config& settings, const std::vector<target_name>& targets);

// Returns the vendor number of the target. Targets with equal numbers may slow down together.
std::uint32_t vendor_of(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
