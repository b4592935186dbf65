// How fast an answer came at its beginning, in its middle and at its end. [pure]
// An endpoint reports no tokens per chunk: a chunk's share of them is its share of the text's bytes.
#pragma once

#include "gateway/bench/request_record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace photofinish::gateway::bench {

// The first 256 tokens, those up to the 1,024th, and those beyond.
inline constexpr std::array<std::uint64_t, 2> part_ends{256, 1024};
inline constexpr std::size_t part_count = part_ends.size() + 1;

// Tokens per second of each part, of an answer that goes beyond the first one; none where a part is under 16 tokens or
// under 50 ms. Each token counts in one part, but for those read together with the first, which count in none.
std::array<std::optional<double>, part_count> part_speeds(const request_record& record, std::uint64_t tokens);

}  // namespace photofinish::gateway::bench
