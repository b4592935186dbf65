// Converts the configured routes to the input for advice: targets, vendors, and the costs of attempts.
#pragma once

#include "gateway/config/config.hpp"
#include "racing/advice/route_advice.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Returns the routes that have several targets, in the order of the configuration.
std::vector<racing::advised_route> advised_routes(const std::shared_ptr<const config>& settings,
                                                  std::chrono::sys_seconds now);

// True if every target that costs money has a price. Costs can then be given in money. Inference servers on this
// machine cost nothing.
bool is_priced(const config& settings, const std::vector<target_name>& targets);

// Returns the vendor number of a target. Targets with the same number may become slow at the same time.
std::uint32_t vendor_of(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
