// Byte-pair encoding with o200k_base: a piece's bytes are merged, the pair of lowest rank first. [pure]
#pragma once

#include "proxy/tokens/vocabulary.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// How many tokens a piece is. Time is linear in its size but for a logarithm, whatever it holds.
std::size_t count_piece(std::string_view piece);

// As long as a piece may be: 4 GiB have no place in what merges it.
constexpr std::size_t whole_pieces = 1u << 31;

// How many tokens a whole text is, as its published tokenizer counts it; text that spells a special token is text.
// A piece that is longer than `longest_piece` is counted in parts, a token or two too many for each of them: merging
// megabytes of one word is slow, for they fit into no cache.
std::size_t count_tokens(std::string_view text, std::size_t longest_piece = whole_pieces);

// Its tokens. Slower than counting them.
std::vector<token_rank> encode_tokens(std::string_view text);

}  // namespace photofinish::proxy
