// A thread for work that may hang in the kernel: a pipe that is never read, a disk or a mount that does not answer. Its
// owner waits for it only so long and then leaves it behind.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace photofinish::gateway {

class leavable_thread {
 public:
  leavable_thread() = default;  // has ended
  // `work` throws nothing and owns all that it touches: it may outlive the caller.
  explicit leavable_thread(std::function<void()> work);
  leavable_thread(leavable_thread&&) = default;
  leavable_thread& operator=(leavable_thread&& other);  // leaves the work of before, if it still runs
  ~leavable_thread();                                   // likewise

  bool is_running() const;

  // Joins it when it ends within that time. False: it did not, and goes on without an owner.
  bool end_within(std::chrono::milliseconds limit);

  // Whether any was left behind and still runs. The process must then end without destroying its static objects.
  static bool is_any_left_behind();

 private:
  struct state;
  std::shared_ptr<state> state_;  // shared with the thread, which may outlive this
  std::thread thread_;
};

}  // namespace photofinish::gateway
