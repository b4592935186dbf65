// Counts the allocations of this program, for tests in which a time limit would be unreliable. This file replaces operator new in each
// program that links it.
#pragma once

#include <cstddef>

namespace photofinish::tests {

std::size_t allocations();

}  // namespace photofinish::tests
