// Makes a stranger's text fit to show: in an error answer, in a log line. [pure]
// What a provider says may hold control characters, broken UTF-8, a page of HTML, or the very key it refused: that one
// is redactor.hpp's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";  // "…": a text was cut here

// `text` as one line of valid UTF-8, at most `max_bytes` long (at least 8): control characters are left out,
// runs of white space become one space, broken bytes U+FFFD; a text that was cut ends in `ellipsis`.
std::string clean_text(std::string_view text, std::size_t max_bytes);

// `text` with each broken byte replaced by U+FFFD; nothing else is changed.
std::string valid_utf8(std::string_view text);

}  // namespace photofinish::proxy
