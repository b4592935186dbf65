// Splits text into the pieces that o200k_base merges separately. This is the published pattern of o200k_base, written
// by hand. [pure] The text is UTF-8. An invalid byte counts as a character that is not a letter.
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::proxy {

struct text_piece {
  std::size_t size = 0;     // the number of bytes, from the beginning of the text
  bool is_settled = false;  // true if following text cannot change the piece
};

// Returns the first piece of the text, which must not be empty. If nothing follows the text, the piece is correct
// whether it is settled or not.
text_piece first_piece(std::string_view text);

}  // namespace photofinish::proxy
