// The largest token count that is accepted from a provider. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

// The largest count. A larger reported count is replaced by it, so that sums of a few counts fit into 64 bits.
inline constexpr std::uint64_t largest_count = 1'000'000'000'000'000;

}  // namespace photofinish::proxy
