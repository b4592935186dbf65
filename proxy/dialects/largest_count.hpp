// The bound on counts that providers report. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

// A larger count is read as this one: sums of a few counts stay within 64 bits, whatever a provider reports.
inline constexpr std::uint64_t largest_count = 1'000'000'000'000'000;

}  // namespace photofinish::proxy
