// The largest token count that the gateway accepts from a provider. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

// The largest token count that is accepted from a provider. A larger count is replaced by this value. Sums of a few
// counts then fit into 64 bits.
inline constexpr std::uint64_t largest_count = 1'000'000'000'000'000;

}  // namespace photofinish::proxy
