// Makes notes for operators about routes that send each turn of a conversation to several targets, even to targets
// without the conversation in their prompt cache.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Returns notes about routes with the policy `hedge` or `all` whose targets all sell cached tokens for at most half of
// the normal price. If a losing target on such a route has not cached the conversation, its attempt costs several times
// as much as an attempt at a target that has cached it.
std::vector<std::string> prompt_cache_notes(const config& settings, std::chrono::sys_seconds when);

}  // namespace photofinish::gateway
