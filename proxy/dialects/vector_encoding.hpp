// The two encodings of an embedding: a list of numbers, and the base64 of their float32s, the least significant byte
// first. [pure]
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

// That a client asked for: absent means floats. None: a word or a type of numbers that is some provider's own. Then
// what comes passes.
std::optional<vector_encoding> encoding_asked_for(const client_body& request);

// Of the first embedding in an answer, where one look at its beginning tells.
std::optional<vector_encoding> encoding_at_first_sight(std::string_view answer);

// The most that an answer may grow to in the other encoding. A float32 is 5.3 characters in base64; in a list it is 2
// at least and, with its comma, 16 at most.
constexpr std::size_t most_encoded_bytes(std::size_t answer_bytes) { return 3 * answer_bytes; }

// A longer answer is converted beside the loop: this one takes some milliseconds.
constexpr std::size_t most_converted_in_a_turn = 256u << 10;

// The answer, valid JSON, with the embeddings of `data` in that encoding: floats as the shortest numbers that read back
// as they were. All else stays as it is. A failure: one is not a list of numbers, or holds what JSON cannot write; or a
// member that is converted is there twice.
// Takes about as long as parsing it: long for a long one.
result<std::string> encoded_as(std::string_view answer, vector_encoding to);

// As far as one look at the first embedding shows, in an answer of the other encoding: nested lists and halves of
// float32s cannot be converted.
bool is_convertible_at_first_sight(std::string_view answer);

// Why an answer is none where they cannot be.
failure not_convertible();

}  // namespace photofinish::proxy
