// A JSON object that comes again and again, each time with other strings or numbers in a few of its places: most chunks
// of a stream are such an object. [pure]
// No guess: JSON is read from left to right, so after equal bytes a reader is in the same place. A string that begins
// there ends at its first quote that is not escaped, and a whole number at its last digit. Then the reader is in the
// same place again.
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
  static constexpr std::size_t max_bytes = 4096;  // of a text; what is longer is rare, and its copy is expensive

  // The values in the places that may change, in their order.
  using found_values = std::array<std::string_view, max_values>;

  // A whole number that every reader takes for the same value: up to 18 digits without a sign.
  static bool is_plain_number(std::string_view value);

  // `object` is valid JSON; `values` are strings and plain numbers in it, at any depth: spans of it, strings with their
  // quotes, from left to right. Beyond the limits nothing is learnt, and nothing matches.
  void learn(std::string_view object, std::span<const std::string_view> values);
  void forget() { text_.clear(); }

  // Whether `text` is the learnt object except for those values. Then it is valid JSON if its strings are, which are
  // not checked here, and `found` has its values in the learnt places: spans of it, strings with their quotes.
  bool matches(std::string_view text, found_values& found) const;

  std::size_t values() const { return count_; }  // the number of places

  // A copy; stays where it is until something else is learnt. Empty: nothing is.
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
