// A thread for work that may hang in the kernel, such as reading from a mount that does not respond, or writing to a
// pipe. The owner waits only for a limited time, and then abandons the thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace photofinish::gateway {

class leavable_thread {
 public:
  leavable_thread() = default;  // makes an object that has no thread
  // Starts a thread. `work` must not throw. It must own all data that it uses, because it may outlive the caller.
  explicit leavable_thread(std::function<void()> work);
  leavable_thread(leavable_thread&&) = default;
  leavable_thread& operator=(leavable_thread&& other);  // abandons the previous thread if it is still running
  ~leavable_thread();                                   // same

  bool is_running() const;

  // Joins the thread if it ends within `limit`. Otherwise returns false and abandons the thread.
  bool end_within(std::chrono::milliseconds limit);

  // True if an abandoned thread is still running. The process must then exit without destroying its static objects.
  static bool is_any_left_behind();

 private:
  struct state;
  std::shared_ptr<state> state_;  // shared with the thread, because the thread may outlive this object
  std::thread thread_;
};

}  // namespace photofinish::gateway
