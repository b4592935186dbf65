// Fingerprints that distinguish callers and prompts for cooldowns. Equal contents have equal fingerprints. A
// fingerprint does not reveal the contents. [pure]
#pragma once

#include "proxy/json/keyed_hash.hpp"
#include "racing/scoreboard.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace photofinish::gateway {

// Returns a fingerprint of a text. The salt is a secret of the process. A caller that does not know the salt cannot
// construct a second text with the same fingerprint.
inline std::uint64_t salted_print(std::string_view text, std::uint64_t salt) {
  return proxy::keyed_hash(text, {salt, ~salt});
}

// Returns the fingerprint of an access key's name, which is never 0. Without access keys, all callers have the same
// fingerprint. The fingerprint decides who may see a receipt. It must be unpredictable, because the subject of a token
// may choose its own name.
inline racing::caller_id caller_print(std::string_view name, std::uint64_t salt) {
  return salted_print(name, salt) | 1;
}

// Returns a fingerprint of a prompt, computed from its beginning, its end and its length. These parts distinguish
// prompts well enough. Reading all bytes of a prompt of up to 31 MB would block the event loop. Requests of one
// conversation have the same beginning, but each has a new end.
inline std::uint64_t prompt_print(std::string_view messages) {
  constexpr std::size_t end_bytes = 1024;
  const std::hash<std::string_view> hash;
  if (messages.size() <= end_bytes) return hash(messages);
  const std::string_view tail = messages.substr(messages.size() - end_bytes);
  return hash(messages.substr(0, end_bytes / 4)) ^ (hash(tail) * 31) ^ messages.size();
}

}  // namespace photofinish::gateway
