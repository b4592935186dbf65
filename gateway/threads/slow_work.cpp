#include "gateway/threads/slow_work.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <mutex>

namespace photofinish::gateway {

namespace asio = boost::asio;

// The state that an event loop and a thread share while the loop waits for the thread. The thread may use the loop only
// while it holds the mutex and the wait has not ended. After the wait, the loop may be destroyed.
struct slow_work::waiting : std::enable_shared_from_this<slow_work::waiting> {
  explicit waiting(const asio::any_io_executor& loop) : limit(std::in_place, loop) {}

  void done() {  // the thread that does the work calls this function
    const std::lock_guard lock(mutex);
    is_done = true;
    if (limit) asio::post(limit->get_executor(), [self = shared_from_this()] { self->wake(); });
  }
  void wake() {  // this function and the following functions are called on the event loop's thread
    if (limit) limit->cancel();
  }
  // Ends the wait. Returns true if the work is done.
  bool leave() {
    const std::lock_guard lock(mutex);
    limit.reset();
    return is_done;
  }

  std::mutex mutex;
  bool is_done = false;
  std::optional<asio::steady_timer> limit;  // the timer that limits the wait; empty after the wait has ended
};

slow_work::slow_work(asio::any_io_executor loop) : loop_(std::move(loop)) {}

slow_work::~slow_work() {
  if (waiting_) waiting_->leave();
}

void slow_work::cancel() {
  if (waiting_) waiting_->wake();
}

asio::awaitable<bool> slow_work::run_task(std::function<void()> task, std::chrono::milliseconds limit) {
  if (thread_.is_running()) co_return false;
  boost::system::error_code ec;
  const auto wait = std::make_shared<waiting>(loop_);
  waiting_ = wait;
  wait->limit->expires_after(limit);
  thread_ = leavable_thread([wait, task = std::move(task)]() mutable {
    task();
    task = nullptr;
    wait->done();
  });
  co_await wait->limit->async_wait(asio::redirect_error(asio::use_awaitable, ec));
  const bool is_done = wait->leave();
  // Joining takes very little time, because the thread has only a few instructions left.
  if (is_done) thread_.end_within(std::chrono::minutes(1));
  co_return is_done;
}

}  // namespace photofinish::gateway
