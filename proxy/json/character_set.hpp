// Sets of ASCII characters, which are built at compile time. [pure] Testing a character takes one table look-up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace photofinish::proxy {

constexpr bool is_digit(char each) { return each >= '0' && each <= '9'; }
constexpr bool is_letter(char each) { return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z'); }

// True if a text consists only of letters, digits and the characters in `others`.
constexpr bool consists_of_letters(std::string_view text, std::string_view others) {
  for (const char each : text)
    if (!is_letter(each) && !is_digit(each) && others.find(each) == std::string_view::npos) return false;
  return true;
}

class character_set {
 public:
  constexpr explicit character_set(std::string_view members) {
    for (const char member : members) holds_[static_cast<unsigned char>(member)] = true;
  }

  constexpr bool holds(char character) const { return holds_[static_cast<unsigned char>(character)]; }
  constexpr bool holds_all(std::string_view text) const {
    bool all = true;  // the loop has no early exit, because most texts are short and valid
    for (const char character : text) all &= holds(character);
    return all;
  }

 private:
  std::array<bool, 256> holds_{};
};

inline constexpr character_set decimal_digits("0123456789");

// True if any of eight characters is a control character, including a tab. The additions in this function test all
// eight characters at the same time, and never carry into the next byte.
inline bool has_control(std::uint64_t characters) {
  constexpr std::uint64_t each = 0x0101010101010101;
  const std::uint64_t low_bits = characters & each * 0x7F;
  const std::uint64_t from_space = low_bits + each * (0x80 - 0x20);
  const std::uint64_t is_delete = low_bits + each;
  return ((~from_space | is_delete) & ~characters & each * 0x80) != 0;
}

// True if the text has no control character except tabs, as RFC 9110 (section 5.5) requires of a header field's value.
inline bool is_field_text(std::string_view text) {
  constexpr std::size_t at_once = sizeof(std::uint64_t);
  while (text.size() >= at_once) {
    std::uint64_t characters;
    std::memcpy(&characters, text.data(), at_once);
    // The group contains a control character, which may be a permitted tab. Therefore, the loop below checks each
    // character separately.
    if (has_control(characters)) break;
    text.remove_prefix(at_once);
  }
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) return false;
  }
  return true;
}

}  // namespace photofinish::proxy
