// Converts embeddings between two encodings: a list of numbers, and base64 of little-endian float32s. [pure]
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

// Returns the encoding that a client requested. The default is floats. Returns nullopt for an unknown encoding, and for
// a number type other than float. In these cases, the embeddings stay unchanged.
std::optional<vector_encoding> encoding_asked_for(const client_body& request);

// Returns the encoding of the first embedding. Returns nullopt if there is no embedding near the beginning of the
// answer.
std::optional<vector_encoding> encoding_at_first_sight(std::string_view answer);

// Returns the maximum size of an answer after it was converted to the other encoding. In base64, a float32 takes 5.3
// characters. In a list of numbers, it takes 2 to 16 characters, including the comma.
constexpr std::size_t most_encoded_bytes(std::size_t answer_bytes) { return 3 * answer_bytes; }

// Answers above this size in bytes are converted outside the event loop. Converting an answer of this size takes a few
// milliseconds.
constexpr std::size_t most_converted_in_a_turn = 256u << 10;

// Converts the embeddings in `data` to the encoding `to`, and returns the changed answer. `answer` must be valid JSON.
// Floats are written as the shortest numbers that read back to the same value. Everything else stays unchanged. Fails
// if an embedding is not a list of numbers, or contains a value that JSON cannot express. Also fails if a converted
// member occurs twice. The conversion takes about as long as parsing, which is slow for a long answer.
result<std::string> encoded_as(std::string_view answer, vector_encoding to);

// Returns false if the first embedding certainly cannot be converted to the other encoding. Examples are nested lists,
// and base64 with an incomplete float32.
bool is_convertible_at_first_sight(std::string_view answer);

// Returns the failure for an answer that cannot be converted.
failure not_convertible();

}  // namespace photofinish::proxy
