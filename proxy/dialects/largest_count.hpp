// The largest token count that is accepted from a provider. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

// If a provider reports a larger count, this count is used instead. Sums of a few counts then fit into 64 bits.
inline constexpr std::uint64_t largest_count = 1'000'000'000'000'000;

}  // namespace photofinish::proxy
