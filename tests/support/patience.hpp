// The time limit for events that a test waits for. Even a busy machine needs much less time, so a test reaches this limit only because of a
// bug.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace photofinish::testing {

inline constexpr std::chrono::seconds patience{60};

// Waits until the condition is true. Returns false if the time limit is reached first.
inline bool comes_true(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace photofinish::testing
