// The maximum length of a user's name in OpenAI's chat and Responses APIs. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the user's name, a JSON string, if it has at most 64 bytes. A longer name is replaced by a hash of the name.
// The same user gets the same hash in every request.
inline std::string user_within_limit(std::string_view user) {
  constexpr std::size_t longest = 64, quotes = 2;
  if (user.size() <= longest + quotes) return std::string(user);
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char each : user) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211u;
  return "\"user-" + std::to_string(hash) + "\"";
}

}  // namespace photofinish::proxy
