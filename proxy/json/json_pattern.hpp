// Recognizes JSON objects that equal a learnt object except for strings or numbers at a few variable positions. [pure]
// Most chunks of a stream are such objects. They need not be parsed, because a JSON parser works from left to right.
// After equal bytes, the parser would be in the same state. It would also be in the same state after a string or number
// at a variable position. A string ends at its first unescaped quote, and a whole number ends at its last digit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class json_pattern {
 public:
  static constexpr std::size_t max_values = 8;
  // The maximum size of a learnt object, in bytes. Longer objects are rare and expensive to copy.
  static constexpr std::size_t max_bytes = 4096;

  // The values that matches() found at the variable positions, in the order of the positions.
  using found_values = std::array<std::string_view, max_values>;

  // True for a whole number that all JSON parsers read as the same value: up to 18 digits without a sign.
  static bool is_plain_number(std::string_view value);

  // Learns `object`, which must be valid JSON. `values` lists the strings and plain numbers that may change. They are
  // spans of `object`, sorted from left to right, at any depth of nesting. Strings include their quotes. If the object
  // is too long, or if there are too many values, nothing is learnt and matches() returns false.
  void learn(std::string_view object, std::span<const std::string_view> values);
  void forget() { text_.clear(); }

  // True if `text` equals the learnt object except for the values at the variable positions. The text is then valid
  // JSON if its strings are valid, which this function does not check. `found` receives the values at these positions
  // as spans of `text`. Strings include their quotes.
  bool matches(std::string_view text, found_values& found) const;

  std::size_t values() const { return count_; }  // the number of variable positions in the learnt object

  // Returns a copy of the learnt object, or an empty view if nothing was learnt. The copy stays at the same address
  // until another object is learnt.
  std::string_view learnt() const { return text_; }

 private:
  struct place {
    std::uint16_t from;
    std::uint16_t to;
  };

  std::string text_;
  std::uint32_t count_ = 0;
  std::array<place, max_values> places_;
};

}  // namespace photofinish::proxy
