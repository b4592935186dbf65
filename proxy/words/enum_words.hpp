// The words that name the values of an enum. Each enum has one table, which is used for reading, printing, lists and
// schemas. The function words_of(Enum) next to the enum returns the table. Users see the words in the order of the
// table. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace photofinish::proxy {

template <class Enum>
struct enum_word {
  Enum value;
  std::string_view word;
};

template <class Enum, std::size_t count>
using enum_words = std::array<enum_word<Enum>, count>;

template <class Enum>
concept has_words = std::is_enum_v<Enum> && requires { words_of(Enum{}); };

template <has_words Enum>
inline constexpr auto word_table = words_of(Enum{});

// The words of an enum without their values, for lists of choices and schemas.
template <has_words Enum>
inline constexpr auto word_list = [] {
  std::array<std::string_view, word_table<Enum>.size()> words;
  for (std::size_t place = 0; place < words.size(); ++place) words[place] = word_table<Enum>[place].word;
  return words;
}();

template <has_words Enum>
constexpr std::string_view word_of(Enum value) {
  for (const auto& [each, word] : word_table<Enum>)
    if (each == value) return word;
  return word_table<Enum>.front().word;
}

template <has_words Enum>
constexpr std::optional<Enum> parse_word(std::string_view text) {
  for (const auto& [value, word] : word_table<Enum>)
    if (word == text) return value;
  return std::nullopt;
}

// Returns a list of words for error messages and help texts: "all, hedge or fallback".
inline std::string one_of(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t place = 0; place < words.size(); ++place) {
    if (place > 0) text += place + 1 == words.size() ? " or " : ", ";
    text += words[place];
  }
  return text;
}

}  // namespace photofinish::proxy
