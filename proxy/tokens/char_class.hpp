// The classes of characters that o200k_base's pattern distinguishes. Each class is a bit, so that several classes can
// be tested together. The data is Unicode 16.0, from unicode_classes.txt. [pure]
#pragma once

#include <cstdint>

namespace photofinish::proxy {

namespace char_class {
enum mark : std::uint8_t {
  heads_word = 1,   // the characters [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
  ends_word = 2,    // the characters [\p{Ll}\p{Lm}\p{Lo}\p{M}]
  is_sign = 4,      // the characters [^\s\p{L}\p{N}], which include marks
  is_space = 8,     // \s except newlines
  is_newline = 16,  // [\r\n]
  is_number = 32,   // \p{N}
  is_end = 64,      // the end of the text, which is not a character
};
}  // namespace char_class

// Returns the class bits of a code point up to U+10FFFF.
std::uint8_t class_of(char32_t code);

// Returns the class bits of the first 256 characters (from U+0000), for fast access.
const std::uint8_t* first_classes();

}  // namespace photofinish::proxy
