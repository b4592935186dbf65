// The id of a request, in headers and in the log: the client's own, or a new one. [pure]
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Whether a client's own id may be kept: short, and harmless in a header and in a log.
bool is_usable_request_id(std::string_view id);

// "req_" and 24 letters or digits: 120 bits.
std::string new_request_id(std::mt19937_64& random);

// Likewise, for receipts: a client's id of a request need not be unique. `bits` cannot be guessed, so that no caller
// finds the receipts of others by their ids.
std::string new_race_id(std::array<std::uint64_t, 2> bits);

}  // namespace photofinish::gateway
