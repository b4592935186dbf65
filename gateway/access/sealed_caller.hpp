// Identifies callers with a sealed key.
#pragma once

#include "gateway/access/access.hpp"

#include <chrono>
#include <optional>
#include <variant>

namespace photofinish::gateway {

// Finds a sealed key among the presented keys and decrypts it. Then checks its claims against the configuration and the
// current time. Removes the key from `presented`, and adds the provider keys that it contains. The caller's own
// provider keys have priority. Returns nothing if no sealed key was presented.
std::optional<std::variant<caller, refusal>> identify_sealed(presented_keys& presented, const config& configured,
                                                             std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
