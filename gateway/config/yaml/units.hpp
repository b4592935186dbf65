// Durations and sizes as people write them: 500us 300ms 2s 10m 1h, 512 64KiB 32MiB 1GiB 10MB. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// A whole number and a unit (us ms s m h), without a space; a lone 0 needs no unit. Empty for any other text, and above
// 10,000 hours.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::microseconds duration);  // uses the largest unit that keeps the number whole

// A whole number of bytes, or with a unit: B KiB MiB GiB (powers of 1024) KB MB GB (powers of 1000). Empty for any
// other text, and from 2^60 on.
std::optional<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);  // uses the largest binary unit that keeps the number whole

// 2027-03-31, the beginning of the day in UTC, or 2027-03-31T18:00:00Z. Empty for any other text.
std::optional<std::chrono::sys_seconds> parse_time(std::string_view text);

}  // namespace photofinish::gateway
