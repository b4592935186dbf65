// Lists characters that a terminal or a log reader would interpret. Checks whether a text contains one of them.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace photofinish::testing {

inline constexpr std::array<std::string_view, 13> control_characters{
    "\x1b",   "\x7f",   "\x01",   "\u0085", "\u009b", "\u061c", "\u200e",
    "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066"};

inline std::string all_control_characters() {
  std::string all = "a";
  for (const std::string_view each : control_characters) all.append(each).append("b");
  return all;
}

inline bool holds_control_character(std::string_view text) {
  return std::any_of(control_characters.begin(), control_characters.end(),
                     [text](std::string_view each) { return text.find(each) != std::string_view::npos; });
}

}  // namespace photofinish::testing
