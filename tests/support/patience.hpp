// How long a test waits for what must come. A busy machine stays far below it: only a bug reaches it.
#pragma once

#include <chrono>

namespace photofinish::testing {

inline constexpr std::chrono::seconds patience{60};

}  // namespace photofinish::testing
