// A thread for work that would block a worker's event loop for too long: parsing huge bodies, and counting the tokens
// of long texts. Senders limit the amount of waiting work: bodies by max_memory, texts by their bytes. The thread has a
// lower priority than the event loops, so the event loops run first if the processors are busy.
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
  // Starts the thread. It calls `before_each` before each piece of work. Tests block the thread in this function.
  explicit long_work(std::function<void()> before_each = {});
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  ~long_work() { threads_.join(); }  // finishes all submitted work before it returns

  // Runs `work` on the long-work thread, and then `done` on `reply_to`, whose event loop is kept running until `done`
  // runs. Any thread may call this function.
  void run(std::function<void()> work, boost::asio::any_io_executor reply_to, std::function<void()> done);

  // Runs `work` on the long-work thread and awaits its end. `work` and the data to which it refers live until the end,
  // even if the caller's client leaves.
  boost::asio::awaitable<void> run(std::function<void()> work, boost::asio::any_io_executor reply_to);

 private:
  std::function<void()> before_each_;
  boost::asio::thread_pool threads_{1};
};

}  // namespace photofinish::gateway
