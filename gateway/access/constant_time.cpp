#include "gateway/access/constant_time.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::gateway {

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  // The accumulator is volatile. Otherwise the compiler could make the loop stop at the first difference.
  volatile unsigned char difference = one.size() == other.size() ? 0 : 1;
  const std::size_t length = std::min(one.size(), other.size());
  for (std::size_t at = 0; at < length; ++at)
    difference = static_cast<unsigned char>(difference | (one[at] ^ other[at]));
  return difference == 0;
}

}  // namespace photofinish::gateway
