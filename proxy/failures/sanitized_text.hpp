// Makes a stranger's text fit to show: in an error answer, in a log line. [pure]
// What a provider says may hold control characters, broken UTF-8, a page of HTML, or the very key it refused: that one
// is redactor.hpp's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";  // "…": a text was cut here

// A control character is one of C0, DEL and C1, or a character that ends a line or changes the direction of text:
// U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. In a terminal, a table or a log they can hide text, move
// it, or begin a line. Returns the length of the control character at `at`, or 0.
std::size_t control_length(std::string_view text, std::size_t at);

// A control character as a JSON string writes it: "\u009b".
std::string json_escape_of(std::string_view control);

// `text` as one line for a terminal, a table or a log: each control character and each broken byte becomes '?'.
std::string shown_text(std::string_view text);

// The same for text of several lines: tabs and ends of lines ("\n", "\r\n") stay.
std::string shown_lines(std::string_view text);

// `json` with control characters above U+007E escaped, which JSON allows in strings alone. Its value stays the same.
std::string escape_controls(std::string json);

// `text` as one line of valid UTF-8, at most `max_bytes` long (at least 8): control characters are left out,
// runs of white space become one space, broken bytes U+FFFD; a text that was cut ends in `ellipsis`.
std::string clean_text(std::string_view text, std::size_t max_bytes);

// `text` with each broken byte replaced by U+FFFD; nothing else is changed.
std::string valid_utf8(std::string_view text);

}  // namespace photofinish::proxy
