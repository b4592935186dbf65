// Reads and writes durations and sizes in the forms that people use: 500us 300ms 2s 10m 1h, 512 64KiB
// 32MiB 1GiB 10MB. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Parses a whole number and a unit (us ms s m h), without a space. A single 0 needs no unit. Returns nothing for any
// other text, and for durations above 10,000 hours.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
// Writes a duration in the largest unit in which it is a whole number.
std::string format_duration(std::chrono::microseconds duration);

// Parses a whole number of bytes, with or without a unit: B KiB MiB GiB (powers of 1024), KB MB GB (powers of 1000).
// Returns nothing for any other text, and for sizes of 2^60 or more.
std::optional<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);  // writes a size in the largest binary unit in which it is a whole number

// Parses 2027-03-31, which means the beginning of the day in UTC, or 2027-03-31T18:00:00Z. Returns nothing
// for any other text.
std::optional<std::chrono::sys_seconds> parse_time(std::string_view text);

}  // namespace photofinish::gateway
