// Cuts text into the pieces that o200k_base merges each on its own: its published pattern, written by hand. [pure]
// Text is UTF-8; a byte that is none counts as a character that is no letter.
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::proxy {

struct text_piece {
  std::size_t size = 0;     // bytes, from the text's beginning on
  bool is_settled = false;  // whatever text may follow, the piece stays as it is
};

// Of text that is not empty. When nothing follows, the piece is right whether settled or not.
text_piece first_piece(std::string_view text);

}  // namespace photofinish::proxy
