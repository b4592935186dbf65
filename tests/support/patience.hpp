// How long a test waits for what must come. A busy machine stays far below it: only a bug reaches it.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace photofinish::testing {

inline constexpr std::chrono::seconds patience{60};

// Waits until the condition holds. Returns false if patience ends before.
inline bool comes_true(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace photofinish::testing
