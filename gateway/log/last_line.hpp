// Logs exceptions that no awaiter receives, and the last line of a process that cannot continue.
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::gateway {

// The process ends if an allocation of this size or less fails. A larger allocation, whose size a peer chooses, fails
// only its request.
inline constexpr std::size_t least_allocation = 64u << 10;

// From now on the whole process logs exceptions that end coroutines. It also writes a last line before an uncaught
// exception, or a lack of least_allocation bytes, ends it.
void report_failures() noexcept;

// Writes a last line in the current form to standard error, without the log's own thread. It allocates nothing.
void write_last_line(std::string_view why) noexcept;

}  // namespace photofinish::gateway
