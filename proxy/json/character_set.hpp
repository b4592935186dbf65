// A set of characters, made at compile time: one look-up for each character of a text that must be of it. [pure]
#pragma once

#include <array>
#include <string_view>

namespace photofinish::proxy {

class character_set {
 public:
  constexpr explicit character_set(std::string_view members) {
    for (const char member : members) holds_[static_cast<unsigned char>(member)] = true;
  }

  constexpr bool holds(char character) const { return holds_[static_cast<unsigned char>(character)]; }
  constexpr bool holds_all(std::string_view text) const {
    bool all = true;  // no early way out: texts are short, and nearly always good
    for (const char character : text) all &= holds(character);
    return all;
  }

 private:
  std::array<bool, 256> holds_{};
};

// No control characters but a tab: what may stand in a header field's value (RFC 9110, section 5.5). Written so that
// compilers check many characters at once.
inline bool is_field_text(std::string_view text) {
  unsigned char bad = 0;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    bad = static_cast<unsigned char>(bad | ((byte < 0x20) & (byte != '\t')) | (byte == 0x7F));
  }
  return bad == 0;
}

}  // namespace photofinish::proxy
