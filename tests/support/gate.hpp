// Holds a thread of the gateway until the test opens the gate.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace photofinish::testing {

class gate {
 public:
  ~gate() { open(); }

  // Blocks the calling thread until the gate is open.
  void pass() {
    std::unique_lock held(guard_);
    ++arrived_;
    changed_.wait(held, [this] { return is_open_; });
  }
  std::function<void()> hook() {
    return [this] { pass(); };
  }

  void open() {
    const std::lock_guard held(guard_);
    is_open_ = true;
    changed_.notify_all();
  }
  // Returns the number of threads that have reached the gate.
  std::size_t arrived() const { return arrived_; }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool is_open_ = false;
  std::atomic<std::size_t> arrived_ = 0;
};

}  // namespace photofinish::testing
