// Logs exceptions of coroutines whose result is not awaited, and the last line of a process that cannot continue.
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::gateway {

// The largest size of an allocation whose failure ends the process. Peers choose the sizes of larger allocations. If
// such an allocation fails, only the peer's request fails.
inline constexpr std::size_t least_allocation = 64u << 10;

// Makes the whole process log exceptions that end coroutines. Also makes it write a last line before an uncaught
// exception, or a lack of least_allocation bytes, ends the process.
void report_failures() noexcept;

// Writes a last line in the form of the running log to standard error, without the log's own thread. It allocates
// nothing.
void write_last_line(std::string_view why) noexcept;

}  // namespace photofinish::gateway
