// Reads numbers from text in C's notation, regardless of the locale. [pure]
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace photofinish::proxy {

// Reads the number at the beginning of a text. Returns nullopt if there is no number, or if the type cannot represent
// it.
template <class Number>
std::optional<Number> parse_leading_number(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

// Reads a number. Returns nullopt if the text contains anything after the number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc{} && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace photofinish::proxy
