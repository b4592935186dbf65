// The id of a request in headers and in the log: the client's own id, or a new one. [pure]
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// True if a client's own id may be used, because it is short, and safe in a header and in a log.
bool is_usable_request_id(std::string_view id);

// Returns "req_" and 24 random letters or digits, which have 120 bits.
std::string new_request_id(std::mt19937_64& random);

// Makes an id for a receipt. It is not the client's request id, which need not be unique. `bits` must be unpredictable,
// so that no caller can guess the ids of other callers' receipts.
std::string new_race_id(std::array<std::uint64_t, 2> bits);

}  // namespace photofinish::gateway
