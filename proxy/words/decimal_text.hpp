// Formats numbers for people and tables. [pure]
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace photofinish::proxy {

// Formats a number with this many digits after the decimal point, for example "0.50" with two digits.
inline std::string fixed_text(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

// Formats a number with at most `digits` significant digits, for example "0.5" or "1e+09".
inline std::string short_text(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

}  // namespace photofinish::proxy
