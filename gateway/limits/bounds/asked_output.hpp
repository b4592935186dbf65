// Reads how many tokens a request allows for its answer, from the members that the request's API defines. [pure] A
// provider may accept any spelling of a number, so the gateway reads all spellings. It ignores member names of other
// APIs.
#pragma once

#include "gateway/api/parsed_request.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

// The largest token count that the gateway computes with. Sums and products of a few such counts fit in 64 bits,
// whatever number a client requests or a provider reports.
inline constexpr std::uint64_t most_countable = 1'000'000'000'000;

// Reads a number. 20000, 20000.0, 2e4 and "20000" are equal. A fraction is rounded up. Returns none if the value is not
// a number above zero, because providers read such a value as "no limit" or ignore it.
std::optional<std::uint64_t> count_in_json(std::string_view value);

// Returns the largest number of tokens of one answer. The chat API has two names for this limit, and each provider
// obeys one of them. Therefore the larger number counts.
std::optional<std::uint64_t> most_of_one_answer(const parsed_request& asked);

// Returns the number of answers that the client pays for, from `n`, `best_of` and the prompts of a completion. At least
// 1.
std::uint64_t answers_of(const parsed_request& asked);

}  // namespace photofinish::gateway
