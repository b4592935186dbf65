// Numbers as texts have them, in C's notation whatever the locale is. [pure]
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace photofinish::proxy {

// A number that the text starts with. Nothing if there is none, or if it does not fit.
template <class Number>
std::optional<Number> parse_leading_number(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

// The same if the text has nothing else.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc{} && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace photofinish::proxy
