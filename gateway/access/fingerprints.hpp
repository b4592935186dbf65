// Callers and prompts as cooldowns keep them apart: equal or not, and nothing of what they say. [pure]
#pragma once

#include "racing/scoreboard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace photofinish::gateway {

// Of an access key's name; without access keys all callers are one.
inline racing::caller_id caller_print(std::string_view name) { return std::hash<std::string_view>{}(name) | 1; }

// Two ends and the length tell prompts apart well enough, and 31 MB of one need not be read again on a worker's loop.
// The beginning is what conversations share, the end what is new in each.
inline std::uint64_t prompt_print(std::string_view messages) {
  constexpr std::size_t end_bytes = 1024;
  const std::hash<std::string_view> hash;
  if (messages.size() <= end_bytes) return hash(messages);
  const std::string_view tail = messages.substr(messages.size() - end_bytes);
  return hash(messages.substr(0, end_bytes / 4)) ^ (hash(tail) * 31) ^ messages.size();
}

}  // namespace photofinish::gateway
