// The largest token count that the gateway accepts from a provider. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

// Larger counts from a provider are replaced by this count. Sums of a few counts then fit into 64 bits.
inline constexpr std::uint64_t largest_count = 1'000'000'000'000'000;

}  // namespace photofinish::proxy
