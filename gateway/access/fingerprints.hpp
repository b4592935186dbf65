// Fingerprints by which cooldowns distinguish callers and prompts. They show equality, and reveal no contents. [pure]
#pragma once

#include "proxy/json/keyed_hash.hpp"
#include "racing/scoreboard.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace photofinish::gateway {

// Returns a fingerprint of a text. The salt is a secret of the process. Without it, a caller cannot find a text with
// the fingerprint of another text.
inline std::uint64_t salted_print(std::string_view text, std::uint64_t salt) {
  return proxy::keyed_hash(text, {salt, ~salt});
}

// Returns the fingerprint of an access key's name, which is never 0. Without access keys all callers are one. Receipts
// are shown to the caller with this fingerprint, and a token's subject may choose its name.
inline racing::caller_id caller_print(std::string_view name, std::uint64_t salt) {
  return salted_print(name, salt) | 1;
}

// Returns the fingerprint of a prompt, from both ends and the length. They distinguish prompts well enough, and avoid
// another read of 31 MB on a worker's loop. Conversations share their beginning, and the end is new in each.
inline std::uint64_t prompt_print(std::string_view messages) {
  constexpr std::size_t end_bytes = 1024;
  const std::hash<std::string_view> hash;
  if (messages.size() <= end_bytes) return hash(messages);
  const std::string_view tail = messages.substr(messages.size() - end_bytes);
  return hash(messages.substr(0, end_bytes / 4)) ^ (hash(tail) * 31) ^ messages.size();
}

}  // namespace photofinish::gateway
