#include "gateway/bench/number_text.hpp"

#include "proxy/words/decimal_text.hpp"

#include <cmath>

namespace photofinish::gateway::bench {

std::string number_text(double value) {
  const double size = std::abs(value);
  const bool is_whole = value == std::trunc(value);
  const int digits = is_whole || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return proxy::fixed_text(value, digits);
}

}  // namespace photofinish::gateway::bench
