// Measures the speed of an answer at its beginning, in its middle and at its end. [pure] An endpoint does not report
// tokens per chunk. Therefore this code assumes that a chunk's share of the tokens is its share of the text's bytes.
#pragma once

#include "gateway/bench/request_record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace photofinish::gateway::bench {

// The lengths in tokens at which the first and the second part of an answer end. The third part contains all later
// tokens.
inline constexpr std::array<std::uint64_t, 2> part_ends{256, 1024};
inline constexpr std::size_t part_count = part_ends.size() + 1;

// Returns the tokens per second in each part of an answer. The answer must be longer than the first part. A part has no
// speed if it has fewer than 16 tokens or lasts less than 50 ms. Each token counts in exactly one part, except the
// tokens that were read together with the first token. Those tokens count in no part.
std::array<std::optional<double>, part_count> part_speeds(const request_record& record, std::uint64_t tokens);

}  // namespace photofinish::gateway::bench
