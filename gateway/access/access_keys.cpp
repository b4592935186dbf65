#include "gateway/access/access_keys.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::gateway {

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  // Volatile: a compiler that sees the accumulator may otherwise leave the loop at the first difference.
  volatile unsigned char difference = one.size() == other.size() ? 0 : 1;
  const std::size_t length = std::min(one.size(), other.size());
  for (std::size_t at = 0; at < length; ++at)
    difference = static_cast<unsigned char>(difference | (one[at] ^ other[at]));
  return difference == 0;
}

const access_key* find_access_key(const proxy::secret& presented, std::span<const access_key> keys) {
  const access_key* found = nullptr;
  for (const access_key& known : keys) {
    const bool is_equal = equal_in_constant_time(presented.reveal(), known.key.reveal());
    if (is_equal && !known.key.empty()) found = &known;
  }
  return found;
}

}  // namespace photofinish::gateway
