// Reads how long the gateway should wait before it sends another request to the provider. An invalid header is ignored
// and never causes an error. [pure]
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Reads the values of the headers `retry-after-ms` and `retry-after` (seconds, with an optional fraction and `s`, or an
// HTTP date). The header `retry-after-ms` takes precedence. An empty view means that the header is missing. The result
// is at most one day. A past date gives zero.
std::optional<std::chrono::milliseconds> read_retry_after(std::string_view retry_after_ms,
                                                          std::string_view retry_after,
                                                          std::chrono::sys_seconds now);

// Reads a duration such as "34s" or "0.5s", which Google's RetryInfo contains.
std::optional<std::chrono::milliseconds> read_duration_seconds(std::string_view text);

// Reads a time such as "2026-11-23T18:00:00Z". Drops the fraction of a second.
std::optional<std::chrono::sys_seconds> read_rfc3339(std::string_view text);

// Reads an HTTP date in any of RFC 9110's three forms.
std::optional<std::chrono::sys_seconds> read_http_date(std::string_view text, std::chrono::sys_seconds now);

}  // namespace photofinish::proxy
