// Who calls with a sealed key.
#pragma once

#include "gateway/access/access.hpp"

#include <chrono>
#include <optional>
#include <variant>

namespace photofinish::gateway {

// A sealed key among the presented: opened, held against the configuration and the time, and taken out of `presented`,
// where the providers' keys that it carries take its place; those that the caller brings as well come first. None:
// no sealed key was presented.
std::optional<std::variant<caller, refusal>> identify_sealed(presented_keys& presented, const config& configured,
                                                             std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
