// Converts embeddings between two encodings: a list of numbers, and base64 of float32s whose least significant byte
// comes first. [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/json/client_body.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class vector_encoding { floats, base64 };

// Returns the encoding that a client requested. The default is floats. Returns nullopt for an encoding or number type
// that only the provider knows. The answer then stays unchanged.
std::optional<vector_encoding> encoding_asked_for(const client_body& request);

// Returns the encoding of the first embedding. Returns nullopt if the beginning of the answer does not show it.
std::optional<vector_encoding> encoding_at_first_sight(std::string_view answer);

// Returns the limit of an answer's size after conversion to the other encoding. A float32 takes 5.3 characters in
// base64. In a list it takes 2 to 16 characters, including its comma.
constexpr std::size_t most_encoded_bytes(std::size_t answer_bytes) { return 3 * answer_bytes; }

// The size in bytes above which answers are converted outside the event loop. Converting an answer of this size takes
// some milliseconds.
constexpr std::size_t most_converted_in_a_turn = 256u << 10;

// Returns the answer, which must be valid JSON, with the embeddings in `data` in the encoding `to`. Floats are written
// as the shortest numbers that read back to the same value. Everything else stays unchanged. Fails if an embedding is
// not a list of numbers, if it contains a value that JSON cannot express, or if a converted member occurs twice. Takes
// about as long as parsing, which is long for a long answer.
result<std::string> encoded_as(std::string_view answer, vector_encoding to);

// True if the first embedding of an answer in the other encoding seems to be convertible. Nested lists, and base64 with
// an incomplete float32, cannot be converted.
bool is_convertible_at_first_sight(std::string_view answer);

// Returns the failure for an answer that cannot be converted.
failure not_convertible();

}  // namespace photofinish::proxy
