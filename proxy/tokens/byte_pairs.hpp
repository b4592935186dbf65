// Byte-pair encoding with o200k_base: merges the bytes of a piece, the pair of lowest rank first. [pure]
#pragma once

#include "proxy/tokens/vocabulary.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Returns the number of tokens in a piece. It takes O(n log n) time for any content.
std::size_t count_piece(std::string_view piece);

// The maximum size of a piece, because the merging cannot hold 4 GiB.
constexpr std::size_t whole_pieces = 1u << 31;

// Returns the number of tokens in a whole text, as the published tokenizer counts them. Text that spells a special
// token counts as text. A piece that is longer than `longest_piece` is counted in parts, which adds one or two tokens
// for each part. Merging a word of several megabytes is slow, because it does not fit into any cache.
std::size_t count_tokens(std::string_view text, std::size_t longest_piece = whole_pieces);

// Returns the tokens. This is slower than counting them.
std::vector<token_rank> encode_tokens(std::string_view text);

}  // namespace photofinish::proxy
