// Lets one allocation of one thread of this program fail, as if memory were exhausted.
// It replaces operator new in each program that links it.
#pragma once

#include <cstddef>

namespace photofinish::tests {

// Watches the next thread that allocates exactly this number of bytes: its allocations may fail from then on. Choose a number that nothing
// else allocates.
void watch_thread_that_allocates(std::size_t bytes);
bool has_watched_thread();

// From now on the watched thread's allocation with this number, counted from 1, throws std::bad_alloc. 0: none fails.
void fail_allocation(std::size_t number);
// The number of allocations that the watched thread has made since.
std::size_t allocations_of_thread();

}  // namespace photofinish::tests
