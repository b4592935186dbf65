// How exceptions without an awaiter come into the log, and the last line of a process that cannot go on.
#pragma once

#include <cstddef>
#include <string_view>

namespace photofinish::gateway {

// An allocation of this size or less must succeed: without memory for it, the process ends. A longer one, whose size a
// peer chooses, fails only its request.
inline constexpr std::size_t least_allocation = 64u << 10;

// From now on, for the whole process: exceptions that end coroutines are logged, and a last line is written before the
// process ends by an exception that is caught nowhere, or for want of least_allocation.
void report_failures() noexcept;

// Writes that line in the form in use, to standard error, past the log's own thread. It allocates nothing.
void write_last_line(std::string_view why) noexcept;

}  // namespace photofinish::gateway
