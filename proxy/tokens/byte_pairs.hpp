// Byte-pair encoding with o200k_base. Merges the bytes of a piece, beginning with the pair that has the lowest rank.
// [pure]
#pragma once

#include "proxy/tokens/vocabulary.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Returns the number of tokens in a piece. Takes O(n log n) time, whatever the content.
std::size_t count_piece(std::string_view piece);

// The maximum size of a piece. The merge algorithm cannot process 4 GiB.
constexpr std::size_t whole_pieces = 1u << 31;

// Returns the number of tokens in a whole text, as the published tokenizer counts them. The name of a special token
// counts as ordinary text. If a piece is longer than `longest_piece`, its parts are counted separately, and each part
// adds one or two tokens. Without this limit, a word of several megabytes would be slow to count, because it does not
// fit into any cache.
std::size_t count_tokens(std::string_view text, std::size_t longest_piece = whole_pieces);

// Returns the tokens of a text. count_tokens() is faster if only their number is needed.
std::vector<token_rank> encode_tokens(std::string_view text);

}  // namespace photofinish::proxy
