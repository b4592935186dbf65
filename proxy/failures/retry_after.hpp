// When a provider says that it may be asked again. [pure]
// Read leniently: a header that makes no sense is the same as none, never an error.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// From the values of `retry-after-ms` and `retry-after` (seconds, a fraction and an `s` allowed, or an HTTP date); the
// former wins. Empty: the header did not come. At most a day; a date that has passed is zero.
std::optional<std::chrono::milliseconds> read_retry_after(std::string_view retry_after_ms,
                                                          std::string_view retry_after,
                                                          std::chrono::sys_seconds now);

// "34s" or "0.5s", as Google's RetryInfo writes it.
std::optional<std::chrono::milliseconds> read_duration_seconds(std::string_view text);

// "2026-11-23T18:00:00Z", a fraction of the second is left out.
std::optional<std::chrono::sys_seconds> read_rfc3339(std::string_view text);

// An HTTP date in any of RFC 9110's three forms.
std::optional<std::chrono::sys_seconds> read_http_date(std::string_view text, std::chrono::sys_seconds now);

}  // namespace photofinish::proxy
