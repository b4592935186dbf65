// The tokens of o200k_base. Maps a token's bytes to the token's rank, which is also its number. [pure]
#pragma once

#include "proxy/tokens/table_layout.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

using token_rank = std::uint32_t;
inline constexpr token_rank no_token = ~token_rank{0};  // this number is larger than all ranks

// Returns the token's rank, or no_token if the bytes are not a token. Each single byte is a token, and no token is
// longer than tables::max_token_bytes.
token_rank find_token(std::string_view bytes);

}  // namespace photofinish::proxy
