// What both of OpenAI's APIs of conversations have in common: a limit, and what stands for a longer user. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::size_t longest_user = 64;

// What stands for a longer one tells users apart as well, and is the same each time.
inline std::string short_name_of(std::string_view user) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char each : user) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211u;
  return "user-" + std::to_string(hash);
}

}  // namespace photofinish::proxy
