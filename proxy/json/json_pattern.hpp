// Recognizes JSON objects that differ from a learnt object only in the strings or numbers at a few positions. Most
// chunks of a stream are such objects. [pure] All other bytes must be equal. A JSON reader works from left to right, so
// after equal bytes it is in the same state. A string at a variable position ends at its first unescaped quote, and a
// whole number ends at its last digit. After such a value, the reader is again in the same state.
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
  // The limit of a learnt object in bytes, because longer objects are rare and expensive to copy.
  static constexpr std::size_t max_bytes = 4096;

  // The values that matches() found at the variable positions, in order.
  using found_values = std::array<std::string_view, max_values>;

  // True for a whole number that every reader reads as the same value: up to 18 digits without a sign.
  static bool is_plain_number(std::string_view value);

  // Learns `object`, which must be valid JSON. `values` are spans of its strings and plain numbers, at any depth and
  // from left to right; strings include their quotes. If the object or the number of values exceeds its limit, nothing
  // is learnt and matches() returns false.
  void learn(std::string_view object, std::span<const std::string_view> values);
  void forget() { text_.clear(); }

  // True if `text` equals the learnt object except for the values at the variable positions. The text is then valid
  // JSON if its strings are valid, which this function does not check. `found` receives the values at these positions
  // as spans of `text`; strings include their quotes.
  bool matches(std::string_view text, found_values& found) const;

  std::size_t values() const { return count_; }  // number of variable positions

  // Returns a copy of the learnt object, or an empty view. The copy stays at the same address until
  // another object is learnt.
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
