// Makes notes for operators about routes that race the requests of conversations without regard to prompt caches.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Returns notes about routes with the policy `hedge` or `all` whose targets all sell cached tokens for at most half of
// the normal price. On such a route, a rival without the conversation in its cache costs several times as much as a
// target with it.
std::vector<std::string> prompt_cache_notes(const config& settings, std::chrono::sys_seconds when);

}  // namespace photofinish::gateway
