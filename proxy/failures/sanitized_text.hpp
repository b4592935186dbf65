// Makes an untrusted text safe to show in an error answer or a log line. [pure]
// A provider's text may hold control characters, broken UTF-8, a page of HTML, or the key that the provider rejected.
// redactor.hpp removes keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";  // "…" marks the end of a cut text

// Returns the length of the control character at `at`, or 0. A control character is one of C0, DEL and C1, or a
// character that ends a line or changes the direction of text. The latter are U+061C, U+200E, U+200F, U+2028 to U+202E,
// U+2066 to U+2069. Such a character can hide text, move it, or begin a line in a terminal, a table or a log.
std::size_t control_length(std::string_view text, std::size_t at);

// Returns a control character as a JSON string writes it: "\u009b".
std::string json_escape_of(std::string_view control);

// Returns `text` as one line for a terminal, a table or a log. Each control character and each broken byte becomes '?'.
std::string shown_text(std::string_view text);

// Returns a text of several lines without control characters or broken bytes, like shown_text(). Tabs and line
// ends ("\n", "\r\n") stay.
std::string shown_lines(std::string_view text);

// Returns `json` with the control characters above U+007E escaped. JSON allows such characters only in strings, so the
// value does not change.
std::string escape_controls(std::string json);

// Returns `text` as one line of valid UTF-8, at most `max_bytes` long (at least 8). Control characters are removed,
// runs of white space become one space, and broken bytes become U+FFFD. A text that was cut ends in `ellipsis`.
std::string clean_text(std::string_view text, std::size_t max_bytes);

// Returns `text` with each broken byte replaced by U+FFFD. All other bytes stay.
std::string valid_utf8(std::string_view text);

}  // namespace photofinish::proxy
