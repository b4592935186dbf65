#include "gateway/bench/number_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace photofinish::gateway::bench {

std::string number_text(double value) {
  std::array<char, 48> text{};
  const double size = std::abs(value);
  const bool is_whole = value == std::trunc(value);
  const int digits = is_whole || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace photofinish::gateway::bench
