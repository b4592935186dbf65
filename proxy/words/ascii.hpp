// Functions for ASCII letters, hexadecimal digits and URL escapes that do not depend on the locale. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& each : lower)
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  return lower;
}

// Returns the value of a hexadecimal digit, or a negative number for any other character.
constexpr int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

// Decodes escapes such as %2F, which stands for '/'. Other text stays unchanged.
inline std::string percent_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
    plain += low >= 0 ? static_cast<char>(high * 16 + low) : text[at];
    if (low >= 0) at += 2;
  }
  return plain;
}

}  // namespace photofinish::proxy
