// Measures how late this machine wakes its threads. While the object exists, a thread repeatedly sleeps for one millisecond. Tests that
// require an immediate reaction add the measured delay to their limits.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace photofinish::testing {

class canary {
 public:
  canary() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  // Returns the permitted delay for several threads that wake each other: 20 times the worst measured delay of one wake-up.
  double allowance_ms() {
    std::unique_lock held(guard_);
    const std::uint64_t from = wakeups_;
    changed_.wait(held, [this, from] { return wakeups_ >= from + 2; });  // waits until the measuring thread has slept and woken once more
    return 20 * worst_ms_;
  }

 private:
  using clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds nap{1};
    while (!stop.stop_requested()) {
      const auto due = clock::now() + nap;
      std::this_thread::sleep_until(due);
      const std::lock_guard held(guard_);
      worst_ms_ = std::max(worst_ms_, std::chrono::duration<double, std::milli>(clock::now() - due).count());
      ++wakeups_;
      changed_.notify_all();
    }
  }

  std::mutex guard_;
  std::condition_variable changed_;
  double worst_ms_ = 0;
  std::uint64_t wakeups_ = 0;
  std::jthread thread_;  // declared last, because the thread uses the other members
};

}  // namespace photofinish::testing
