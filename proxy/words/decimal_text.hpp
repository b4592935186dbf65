// Formats numbers for people and tables. [pure]
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace photofinish::proxy {

// Writes this many digits after the decimal point: "0.50" for two.
inline std::string fixed_text(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

// Writes at most `digits` significant digits: "0.5", "1e+09".
inline std::string short_text(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

}  // namespace photofinish::proxy
