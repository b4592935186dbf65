// Reads from a request how many tokens its answer may have. Reads only members that the request's API defines, but
// accepts every spelling of a number that any provider might accept. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

// The largest token count that the gateway uses in calculations. A client or a provider may send any number. This cap
// lets sums and products of a few token counts fit in 64 bits.
inline constexpr std::uint64_t most_countable = 1'000'000'000'000;

// Reads a token count from a JSON value. The values 20000, 20000.0, 2e4 and "20000" mean the same. A fraction is
// rounded up. Returns nothing if the value is not a positive number, because providers ignore such values or treat them
// as "no limit".
std::optional<std::uint64_t> count_in_json(std::string_view value);

// Returns the request's limit for the tokens of one answer. The chat API has two members for this limit. Each provider
// obeys only one of the two, so the function returns the larger value.
std::optional<std::uint64_t> most_of_one_answer(const parsed_request& asked);

// Returns the number of answers for which the client pays. It depends on `n`, `best_of` and the prompts of a
// completion. The result is at least 1.
std::uint64_t answers_of(const parsed_request& asked);

}  // namespace photofinish::gateway
