// How many tokens a request lets its answer have, by the members that its own API defines. [pure]
// A provider may read any spelling of a number, so every spelling counts. A name of another API counts for nothing.
#pragma once

#include "gateway/api/parsed_request.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

// Sums and products of a few such counts stay far from the end of 64 bits, whatever a client asks for or a provider
// claims.
inline constexpr std::uint64_t most_countable = 1'000'000'000'000;

// 20000, 20000.0, 2e4 and "20000" are the same, and a fraction is rounded up. None: it is not a number above zero, by
// which providers mean "no limit" or nothing at all.
std::optional<std::uint64_t> count_in_json(std::string_view value);

// Tokens that one answer may have. Chat has two names for it, and each provider obeys one: the larger number counts.
std::optional<std::uint64_t> most_of_one_answer(const parsed_request& asked);

// How many answers a request buys: `n`, `best_of`, and the prompts of a completion. At least 1.
std::uint64_t answers_of(const parsed_request& asked);

}  // namespace photofinish::gateway
