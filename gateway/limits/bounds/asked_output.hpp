// Reads from a request how many tokens its answer may have. Only members that the request's API defines count. [pure] A
// provider may accept any spelling of a number, so the gateway also accepts all spellings.
#pragma once

#include "gateway/api/parsed_request.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

// The largest token count that the gateway computes with. Sums and products of a few such counts fit in 64 bits,
// whatever number a client requests or a provider reports.
inline constexpr std::uint64_t most_countable = 1'000'000'000'000;

// Reads a token count from a JSON value. 20000, 20000.0, 2e4 and "20000" are equal. A fraction is rounded up. Returns
// none if the value is not a number above zero, because providers ignore such a value or read it as "no limit".
std::optional<std::uint64_t> count_in_json(std::string_view value);

// Returns the request's limit for the tokens of one answer. The chat API has two names for this limit, and each
// provider obeys only one of the two. Therefore this function returns the larger number.
std::optional<std::uint64_t> most_of_one_answer(const parsed_request& asked);

// Returns the number of answers that the client pays for, from `n`, `best_of` and the prompts of a completion. The
// result is at least 1.
std::uint64_t answers_of(const parsed_request& asked);

}  // namespace photofinish::gateway
