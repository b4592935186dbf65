// Replaces an id with an id of nine letters and digits. [pure] Some models require such ids for tool calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::size_t short_id_size = 9;
inline constexpr std::string_view short_id_letters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

inline bool is_short_id(std::string_view id) {
  return id.size() == short_id_size && id.find_first_not_of(short_id_letters) == std::string_view::npos;
}

// Returns an id of nine letters and digits. The same input gives the same result in every process.
inline std::string short_id(std::string_view id) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char each : id) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211u;
  std::string made;
  for (; made.size() < short_id_size; hash /= short_id_letters.size())
    made += short_id_letters[hash % short_id_letters.size()];
  return made;
}

}  // namespace photofinish::proxy
