// Reads when a provider may be asked again. [pure]
// It is lenient: a header without a valid value is ignored and never causes an error.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Reads the values of `retry-after-ms` and `retry-after` (seconds, with an optional fraction and `s`, or an HTTP date).
// The former takes precedence. An empty view means that the header is missing. The result is at most one day, and a
// past date gives zero.
std::optional<std::chrono::milliseconds> read_retry_after(std::string_view retry_after_ms,
                                                          std::string_view retry_after,
                                                          std::chrono::sys_seconds now);

// Reads "34s" or "0.5s", as in Google's RetryInfo.
std::optional<std::chrono::milliseconds> read_duration_seconds(std::string_view text);

// Reads "2026-11-23T18:00:00Z" and drops a fraction of the second.
std::optional<std::chrono::sys_seconds> read_rfc3339(std::string_view text);

// Reads an HTTP date in any of RFC 9110's three forms.
std::optional<std::chrono::sys_seconds> read_http_date(std::string_view text, std::chrono::sys_seconds now);

}  // namespace photofinish::proxy
