// What operators should know of routes that race conversations without a look at prompt caches.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace photofinish::gateway {

// One note for each route whose policy is `hedge` or `all`, if all of its targets sell cached tokens for at most half
// of their price. A rival that does not have the conversation costs several times as much as the target that has it.
std::vector<std::string> prompt_cache_notes(const config& settings, std::chrono::sys_seconds when);

}  // namespace photofinish::gateway
