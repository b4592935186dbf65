// Makes an untrusted text safe to show in an error answer or a log line. A provider's text may contain control
// characters, invalid UTF-8, an HTML page, or the key that the provider rejected. redactor.hpp removes keys. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";  // "…" marks the end of a text that was cut

// Returns the length of the control character at `at`, or 0. Control characters are C0, DEL and C1, and also characters
// that end a line or change the direction of text: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. In a
// terminal, a table or a log, such a character could hide text, move it, or begin a line.
std::size_t control_length(std::string_view text, std::size_t at);

// Returns a control character as a JSON string writes it: "\u009b".
std::string json_escape_of(std::string_view control);

// Returns `text` as one line for a terminal, a table or a log. Each control character and each invalid byte becomes
// '?'.
std::string shown_text(std::string_view text);

// Returns a text of several lines without control characters or invalid bytes. Works like shown_text(), but tabs and
// line ends ("\n", "\r\n") stay.
std::string shown_lines(std::string_view text);

// Returns `json` with the control characters above U+007E escaped. JSON allows such characters only in strings, so the
// value does not change.
std::string escape_controls(std::string json);

// Returns `text` as one line of valid UTF-8, at most `max_bytes` long (at least 8). Control characters are removed,
// runs of white space become one space, and invalid bytes become U+FFFD. A text that was cut ends in `ellipsis`.
std::string clean_text(std::string_view text, std::size_t max_bytes);

// Returns `text` with each invalid byte replaced by U+FFFD. All other bytes stay.
std::string valid_utf8(std::string_view text);

}  // namespace photofinish::proxy
