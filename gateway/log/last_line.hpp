// Logs exceptions of coroutines whose result is not awaited, and a last line before the process must end.
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::gateway {

// If an allocation of at most this size fails, the process ends. Clients and providers determine the size of larger
// allocations. If a larger allocation fails, only the request fails.
inline constexpr std::size_t least_allocation = 64u << 10;

// Makes the whole process log exceptions that end coroutines. Also makes it write a last line before it ends because of
// an uncaught exception, or because an allocation of least_allocation bytes failed.
void report_failures() noexcept;

// Writes a last line to standard error, in the configured format, without the log's thread. Allocates no memory.
void write_last_line(std::string_view why) noexcept;

}  // namespace photofinish::gateway
