// Makes one allocation of one thread fail, as if memory were exhausted. Replaces operator new in each program that links this file.
#pragma once

#include <cstddef>

namespace photofinish::tests {

// Watches the next thread that allocates exactly this number of bytes. From then on, the test can make allocations of that thread fail.
// Choose a number of bytes that no other code allocates.
void watch_thread_that_allocates(std::size_t bytes);
bool has_watched_thread();

// Makes one allocation of the watched thread throw std::bad_alloc. `number` counts the allocations after this call: 1 is the next
// allocation, and 0 means that no allocation fails.
void fail_allocation(std::size_t number);
// Returns the number of allocations of the watched thread since the last call of fail_allocation().
std::size_t allocations_of_thread();

}  // namespace photofinish::tests
