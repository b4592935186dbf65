// Byte-pair encoding with o200k_base: a piece's bytes are merged, the pair of lowest rank first. [pure]
#pragma once

#include "proxy/tokens/vocabulary.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// How many tokens a piece is. Time is linear in its size but for a logarithm, whatever it holds.
std::size_t count_piece(std::string_view piece);

// How many tokens a whole text is, as its published tokenizer counts it; text that spells a special token is text.
std::size_t count_tokens(std::string_view text);

// Its tokens. Slower than counting them.
std::vector<token_rank> encode_tokens(std::string_view text);

}  // namespace photofinish::proxy
