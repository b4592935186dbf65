// Converts embeddings between their two encodings: a list of numbers, and the base64 of their float32s, the least
// significant byte first. [pure]
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

// Returns the encoding that a client requested, by default floats. Returns nullopt for a provider's own encoding or
// number type, and the answer then passes unchanged.
std::optional<vector_encoding> encoding_asked_for(const client_body& request);

// Returns the encoding of the first embedding, if the beginning of the answer shows it.
std::optional<vector_encoding> encoding_at_first_sight(std::string_view answer);

// Limit of the answer's size in the other encoding. A float32 takes 5.3 characters in base64. In a list it takes 2 to
// 16 characters with its comma.
constexpr std::size_t most_encoded_bytes(std::size_t answer_bytes) { return 3 * answer_bytes; }

// Longer answers are converted outside the event loop. The conversion of an answer of this size
// takes some milliseconds.
constexpr std::size_t most_converted_in_a_turn = 256u << 10;

// Returns the answer, which must be valid JSON, with the embeddings in `data` in the encoding `to`. Floats are the
// shortest numbers that read back to the same value. Everything else stays unchanged. Fails if an embedding is not a
// list of numbers or holds a value that JSON cannot write, or if a converted member occurs twice. Takes about as long
// as parsing, which is long for a long answer.
result<std::string> encoded_as(std::string_view answer, vector_encoding to);

// True if the first embedding seems to be convertible. The answer must have the other encoding. Nested lists and halves
// of float32s cannot be converted.
bool is_convertible_at_first_sight(std::string_view answer);

// Returns the failure of an answer that cannot be converted.
failure not_convertible();

}  // namespace photofinish::proxy
