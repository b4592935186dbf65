// Makes a stranger's text fit to show: in an error answer, in a log line. [pure]
// What a provider says may hold control characters, broken UTF-8, a page of HTML, or the very key it refused.
#pragma once

#include "proxy/failure.hpp"
#include "proxy/secret.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// `text` as one line of valid UTF-8, at most `max_bytes` long (at least 8): control characters are left out,
// runs of white space become one space, broken bytes U+FFFD; a text that was cut ends in "…".
std::string clean_text(std::string_view text, std::size_t max_bytes);

// `text` with each broken byte replaced by U+FFFD; nothing else is changed.
std::string valid_utf8(std::string_view text);

// Each whole key of 8 characters or more, as it is or percent-encoded, becomes "[redacted]"; so does the
// beginning of one that the end of `text` cuts off. Shorter keys stay: they would redact ordinary words.
std::string redact(std::string_view text, std::span<const secret> keys);

// The same for every text of a failure.
void redact(failure& why, std::span<const secret> keys);

}  // namespace photofinish::proxy
