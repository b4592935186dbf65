// Chooses the request id for headers and logs: the client's own id, or a new id. [pure]
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// True if the client's own id may be used, because it is short and contains only characters that are safe in headers
// and logs.
bool is_usable_request_id(std::string_view id);

// Returns "req_" followed by 24 random letters or digits, made from 120 random bits.
std::string new_request_id(std::mt19937_64& random);

// Makes an id for a receipt. The client's request id cannot be used for this, because it need not be unique. `bits`
// must be unpredictable, so that no caller can guess the ids of other callers' receipts.
std::string new_race_id(std::array<std::uint64_t, 2> bits);

}  // namespace photofinish::gateway
