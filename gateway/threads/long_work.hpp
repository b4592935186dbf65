// The thread for what would hold a worker's loop too long: parsing giant bodies, counting the tokens of long texts.
// What waits there is bounded by its sender: bodies by max_memory, texts by their bytes. It has a lower priority
// than the loops, which come first where processors are short.
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
  // `before_each` is called on the thread before each piece of work: tests hold it there.
  explicit long_work(std::function<void()> before_each = {});
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  ~long_work() { threads_.join(); }  // what was handed in is done first

  // Any thread. `work` runs on the thread beside, then `done` on `reply_to`, whose loop is kept running until then.
  void run(std::function<void()> work, boost::asio::any_io_executor reply_to, std::function<void()> done);

  // The same, awaited: `work` and what it refers to live until it is done, whatever becomes of the caller's client.
  boost::asio::awaitable<void> run(std::function<void()> work, boost::asio::any_io_executor reply_to);

 private:
  std::function<void()> before_each_;
  boost::asio::thread_pool threads_{1};
};

}  // namespace photofinish::gateway
