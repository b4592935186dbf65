// The limit of counts that providers report. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

// Larger counts are read as this one. Sums of a few counts then fit into 64 bits, whatever a provider reports.
inline constexpr std::uint64_t largest_count = 1'000'000'000'000'000;

}  // namespace photofinish::proxy
