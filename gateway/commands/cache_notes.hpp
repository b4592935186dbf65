// Makes notes for operators about routes that race conversations but do not consider prompt caches.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Returns notes about routes with the policy `hedge` or `all`. A route has a note if all its targets sell cached tokens
// for at most half of their price. On such a route, a rival without the conversation in its cache costs several times
// as much as the target that has it.
std::vector<std::string> prompt_cache_notes(const config& settings, std::chrono::sys_seconds when);

}  // namespace photofinish::gateway
