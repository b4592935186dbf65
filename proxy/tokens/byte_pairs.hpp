// Byte-pair encoding with o200k_base: merges the bytes of a piece, beginning with the pair of lowest rank. [pure]
#pragma once

#include "proxy/tokens/vocabulary.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Returns the number of tokens in a piece. It takes O(n log n) time for any content.
std::size_t count_piece(std::string_view piece);

// The maximum size of a piece, because the merge algorithm cannot process 4 GiB.
constexpr std::size_t whole_pieces = 1u << 31;

// Returns the number of tokens in a whole text, as the published tokenizer counts them. The name of a special
// token counts as ordinary text. A piece that is longer than `longest_piece` is counted in parts, which adds one
// or two tokens for each part. The parts keep a word of several megabytes from being slow, because such a word
// does not fit into any cache.
std::size_t count_tokens(std::string_view text, std::size_t longest_piece = whole_pieces);

// Returns the tokens of a text. This is slower than counting them.
std::vector<token_rank> encode_tokens(std::string_view text);

}  // namespace photofinish::proxy
