// A thread for work that would block a worker's event loop for too long: parsing very large bodies, and counting the
// tokens of long texts. Callers limit the amount of waiting work: max_memory limits the bodies, and a byte limit
// applies to texts. The thread has a lower priority than the event loops, so that they run first if the processors are
// busy.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <utility>

namespace photofinish::gateway {

class long_work {
 public:
  // Starts the thread. It calls `before_each` before each piece of work. Tests can block the thread in this function.
  explicit long_work(std::function<void()> before_each = {});
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  ~long_work() { threads_.join(); }  // the destructor waits until all submitted work is done

  // Runs `work` on the long-work thread, and then runs `done` on `reply_to`. The event loop of `reply_to` does not end
  // before `done` has run. Any thread may call this function.
  void run(std::function<void()> work, boost::asio::any_io_executor reply_to, std::function<void()> done);

  // Runs `work` on the long-work thread, and waits for its end. `work` and the data that it uses stay valid until the
  // end, even if the caller's client leaves.
  boost::asio::awaitable<void> run(std::function<void()> work, boost::asio::any_io_executor reply_to);

 private:
  std::function<void()> before_each_;
  boost::asio::thread_pool threads_{1};
};

}  // namespace photofinish::gateway
