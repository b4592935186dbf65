// A JSON object that comes again and again, each time with other strings in a few of its places: what most chunks of a
// stream are. [pure]
// No guess: JSON is read from left to right, so behind equal bytes a reader is in the same place; a string that begins
// there ends at its first quote that is not escaped; and behind it the reader is in the same place again.
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
  static constexpr std::size_t max_strings = 4;
  static constexpr std::size_t max_bytes = 4096;  // of a text; what is longer is rare, and its copy is expensive

  // `object` is valid JSON; `strings` are values in it, at any depth: spans of it, with their quotes, from left to
  // right. Beyond the limits nothing is learnt, and nothing matches.
  void learn(std::string_view object, std::span<const std::string_view> strings);
  void forget() { text_.clear(); }

  // Whether `text` is the learnt object but for what those strings say. Then it is valid JSON if its strings are, which
  // are not checked here.
  bool matches(std::string_view text);

  // Of the last text that matched: its strings in the learnt places, spans of it with their quotes.
  std::span<const std::string_view> strings() const { return {strings_.data(), count_}; }

  // A copy; stays where it is until something else is learnt. Empty: nothing is.
  std::string_view learnt() const { return text_; }

 private:
  struct place {
    std::uint32_t from;
    std::uint32_t to;
  };

  std::string text_;
  std::uint32_t count_ = 0;
  std::array<place, max_strings> places_;
  std::array<std::string_view, max_strings> strings_;
};

}  // namespace photofinish::proxy
