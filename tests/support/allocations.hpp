// How often this program has asked for memory: a count where a time would race the clock.
// It replaces operator new in each program that this is linked into.
#pragma once

#include <cstddef>

namespace photofinish::tests {

std::size_t allocations();

}  // namespace photofinish::tests
