// Lets one allocation of one thread of this program fail, as if there were no memory for it.
// It replaces operator new in each program that this is linked into.
#pragma once

#include <cstddef>

namespace photofinish::tests {

// The next thread that asks for exactly so many bytes is the one whose allocations may fail, from then on. Choose a
// number that nothing else asks for.
void watch_thread_that_allocates(std::size_t bytes);
bool has_watched_thread();

// From now on that thread's allocation with this number, counted from 1, throws std::bad_alloc. 0: none does.
void fail_allocation(std::size_t number);
// How many it has made since.
std::size_t allocations_of_thread();

}  // namespace photofinish::tests
