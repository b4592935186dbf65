// Splits a text into the pieces within which o200k_base merges tokens. This file implements the published pattern of
// o200k_base without a regular expression. The text is UTF-8. An invalid byte counts as a character that is not a
// letter. [pure]
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::proxy {

struct text_piece {
  std::size_t size = 0;     // the length of the piece in bytes
  bool is_settled = false;  // true if text that follows cannot change the piece
};

// Returns the first piece of the text, which must not be empty. If no more text will follow, the piece is correct even
// if `is_settled` is false.
text_piece first_piece(std::string_view text);

}  // namespace photofinish::proxy
